"""What people look at: one self-contained page for every answer.

    scene.py        the description: parts, meshes, arrows, motion, scalars, time line, tables. Data, no browser
    check_page.py   … of a check; info_page.py, margins_page.py, motion_page.py, plan_page.py … of the others
    encoding.py     the description as compact JSON with packed arrays (packing.py), in view_units.py;
    time_encoding.py … what of it is played: motions, steps, curves
    report.py       JSON + the built page = report.html
    live.py         the same answers again and again; desk.py, server.py: the files and the server of `falsework view`
    browser.py      headless Chromium, for pictures (picture.py), films (film.py) and the tests

The page is drawn by three.js, bundled by esbuild from `web/` and shipped in `static/`: users need no Node, and the
page needs no server and no network. Why three.js and not viser, the other candidate: viser's page is a client of its
own Python server, and what it saves to a file is a recording of scene messages without section plane, tables or a
step list; we would own those anyway, on top of somebody else's React application. three.js is a library with one
dependency-free package, has been kept up since 2010, and what we use of it (meshes, lights, clipping) has hardly
changed in ten years. The price is `web/`: some thousand lines of our own TypeScript.
"""
