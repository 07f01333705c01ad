"""What `falsework` alone says: the first minutes, to be typed as they stand."""

from __future__ import annotations

LESSON = """\
Falsework tells how things made of rigid parts (toy bricks, masonry, CAD parts) stand, fall, and get built.

  falsework new semicircular-arch --out arch.yaml    something to try; falsework new --list shows all there is
  falsework check arch.yaml                          does it stand, and by what forces?
  falsework check arch.yaml --absent keystone        and without this stone?
  falsework margins arch.yaml                        how far is it from falling?
  falsework plan arch.yaml                           in what order can it be built, holding what?
  falsework view arch.yaml                           look at it, and take it apart, in the browser

Files of your own: LDraw, brick text, meshes (OBJ, STL, PLY, GLB), STEP, COMPAS, YAML, JSON; - reads standard input.
falsework VERB --help tells what a verb can do; --json is for programs; falsework --completion bash for your shell.
"""
