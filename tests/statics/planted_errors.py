"""Errors to plant in true certificates, each with the structures on which it is one: by name, as a sentence.

An error that leaves a proof a proof is none: contacts that a motion keeps closed may be renamed at will.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from falsework.model.arrays import Array, Bools
from falsework.model.assembly import Load
from falsework.model.state import State
from falsework.statics.proofs.referee import Referee
from tests.statics.proved_cases import Case

Planted = Callable[[Case], Case]
CONTACTS, CLUTCHES, LINKAGE = ("arch", "stack"), ("cantilever", "mixed"), ("linkage",)
ALL = (*CONTACTS, *CLUTCHES, *LINKAGE)
TURN = np.array([[np.cos(0.02), 0, np.sin(0.02)], [0, 1, 0], [-np.sin(0.02), 0, np.cos(0.02)]])  # about y
FIELDS = ("patch_forces", "clutch_wrenches", "clutch_pressure", "hinge_forces", "hinge_moments")


# Errors that forces and motions share: another question than the one that was answered


def under(x: float, y: float, z: float) -> Planted:
    return lambda case: case.but(state=replace(case.state, gravity=(x, y, z)))


def loaded(change: Callable[[Load], tuple[Load, ...]]) -> Planted:
    return lambda case: case.but(state=replace(case.state, loads=change(case.assembly.loads[0])))


def turned_round(case: Case) -> Case:
    """Contacts whose two bodies are exchanged."""
    patches = case.joints.patches
    return case.but(joints=replace(case.joints, patches=replace(patches, bodies=patches.bodies[:, ::-1])))


def shifted(case: Case) -> Case:
    """Contacts a tenth of a part beside their places."""
    patches = case.joints.patches
    points = patches.points + 0.1 * np.array([1.0, 0.5, 0.0]) * np.ptp(patches.points, axis=0)
    return case.but(joints=replace(case.joints, patches=replace(patches, points=points)))


def downside_up(case: Case) -> Case:
    patches = case.joints.patches
    return case.but(joints=replace(case.joints, patches=replace(patches, normals=-patches.normals)))


def friction(times: float) -> Planted:
    def changed(case: Case) -> Case:
        patches = case.joints.patches
        return case.but(joints=replace(case.joints, patches=replace(patches, friction=times * patches.friction)))

    return changed


def strength(times: float) -> Planted:
    return lambda case: case.but(strengths=replace(case.strengths, factor=times))


def without(case: Case) -> Case:
    """The part that moves or carries is not there: the first that is free."""
    body = int(np.flatnonzero(_free(case))[0])
    return case.but(state=State.complete(case.assembly, absent=1 << body))


# Forces


def scaled(times: float, *fields: str) -> Planted:
    chosen = fields or FIELDS
    return lambda case: case.with_forces(**{name: times * getattr(case.forces, name) for name in chosen})


def rolled(*fields: str) -> Planted:
    """Each force at the next place of its list."""
    return lambda case: case.with_forces(**{name: np.roll(getattr(case.forces, name), 1, axis=0) for name in fields})


def one_more(name: str, times: float) -> Planted:
    """The largest force counted `times` times more."""

    def changed(case: Case) -> Case:
        given = np.array(getattr(case.forces, name))
        largest = np.argmax(np.linalg.norm(given, axis=1))
        given[largest] *= 1 + times
        return case.with_forces(**{name: given})

    return changed


def along_other_axes(case: Case) -> Case:
    given = case.forces
    both = {name: getattr(given, name)[:, [2, 0, 1]] for name in ("patch_forces", "hinge_forces", "hinge_moments")}
    wrenches = given.clutch_wrenches[:, [2, 0, 1, 5, 3, 4]]
    return case.with_forces(**both, clutch_wrenches=wrenches)


def in_a_turned_frame(case: Case) -> Case:
    given = case.forces
    both = {name: getattr(given, name) @ TURN.T for name in ("patch_forces", "hinge_forces", "hinge_moments")}
    wrenches = np.concatenate([given.clutch_wrenches[:, :3] @ TURN.T, given.clutch_wrenches[:, 3:] @ TURN.T], axis=1)
    return case.with_forces(**both, clutch_wrenches=wrenches)


def in_world_axes(case: Case) -> Case:
    axes, given = case.joints.clutches.T_world_clutch[:, :3, :3], case.forces.clutch_wrenches
    world = [np.einsum("kij,kj->ki", axes, given[:, part]) for part in (slice(0, 3), slice(3, 6))]
    return case.with_forces(clutch_wrenches=np.concatenate(world, axis=1))


def about_the_world_origin(case: Case) -> Case:
    frames, given = case.joints.clutches.T_world_clutch, np.array(case.forces.clutch_wrenches)
    places = np.einsum("kji,kj->ki", frames[:, :3, :3], frames[:, :3, 3])
    given[:, 3:] += np.cross(places, given[:, :3])
    return case.with_forces(clutch_wrenches=given)


def moments(times: float) -> Planted:
    def changed(case: Case) -> Case:
        wrenches = case.forces.clutch_wrenches * np.repeat([1.0, times], 3)
        return case.with_forces(clutch_wrenches=wrenches, hinge_moments=times * case.forces.hinge_moments)

    return changed


def strained(direction: Callable[[Array, Array], Array]) -> Planted:
    """Forces at the four corners of the first patch that are in balance with each other, a hundred loads strong."""

    def changed(case: Case) -> Case:
        patches, given = case.joints.patches, np.array(case.forces.patch_forces)
        rows = slice(int(patches.starts[0]), int(patches.starts[1]))
        assert rows.stop - rows.start == 4
        given[rows] += 100 * np.abs(given).max() * direction(patches.points[rows], patches.normals[0])
        return case.with_forces(patch_forces=given)

    return changed


def alternating(points: Array, normal: Array) -> Array:
    return np.outer([1.0, -1.0, 1.0, -1.0], normal)


def along_the_diagonal(points: Array, normal: Array) -> Array:
    across = (points[2] - points[0]) / np.linalg.norm(points[2] - points[0])
    return np.array([across, 0 * across, -across, 0 * across])


def faces_that_pull(case: Case) -> Case:
    """Pressures in balance among themselves, of which two pull."""
    strain = 10 * np.abs(case.forces.clutch_pressure).max() * np.array([1.0, -1.0, 1.0, -1.0])
    return case.with_forces(clutch_pressure=case.forces.clutch_pressure + strain)


def studs_against_faces(pull: float) -> Planted:
    """Studs pull the brick down and its faces push it up as much, in balance."""

    def changed(case: Case) -> Case:
        wrenches, pressure = np.array(case.forces.clutch_wrenches), case.forces.clutch_pressure
        wrenches[0, 2] -= pull
        pushed = pressure + np.where(np.arange(len(pressure)) == 0, pull / 4, 0.0)[:, None]
        return case.with_forces(clutch_wrenches=wrenches, clutch_pressure=pushed)

    return changed


def swung_by_a_moment(case: Case) -> Case:
    """A bar turned out of its balance and kept there by a moment about the hinge's axis, which no hinge has."""
    hinges, given = case.joints.hinges, np.array(case.forces.hinge_moments)
    given[0] += 1e-3 * hinges.axes[0]
    return case.with_forces(hinge_moments=given)


def nonsense(value: float, name: str) -> Planted:
    return lambda case: case.with_forces(**{name: np.full_like(getattr(case.forces, name), value)})


def let_go(case: Case) -> Case:
    """Forces that leave the first free part to a hand, in a state where nobody holds it."""
    body = int(np.flatnonzero(_free(case))[0])
    joints, given = case.joints, case.forces
    kept = {
        "patch_forces": given.patch_forces
        * ~(joints.patches.bodies[joints.patches.owner] == body).any(axis=1)[:, None],
        "clutch_wrenches": given.clutch_wrenches * ~(joints.clutches.bodies == body).any(axis=1)[:, None],
        "clutch_pressure": given.clutch_pressure * ~(joints.clutches.bodies == body).any(axis=1)[:, None],
        "hinge_forces": given.hinge_forces * ~(joints.hinges.bodies == body).any(axis=1)[:, None],
    }
    return case.with_forces(**kept)


WRONG_FORCES: dict[str, tuple[Planted, tuple[str, ...]]] = {
    "no forces at all": (scaled(0.0), ALL),
    "every force on the wrong body of its pair": (scaled(-1.0), ALL),
    "forces a hundred-thousandth too large": (scaled(1 + 1e-5), ALL),
    "forces in kilonewtons": (scaled(1e-3), ALL),
    "forces of masses in grams": (scaled(1e3), ALL),
    "one contact force forgotten": (one_more("patch_forces", -1.0), (*CONTACTS, "mixed")),
    "one contact force counted twice": (one_more("patch_forces", 1.0), (*CONTACTS, "mixed")),
    "one clutch forgotten": (one_more("clutch_wrenches", -1.0), CLUTCHES),
    "one corner's pressures forgotten": (one_more("clutch_pressure", -1.0), CLUTCHES),
    "one hinge forgotten": (one_more("hinge_forces", -1.0), LINKAGE),
    "contact forces at the next point": (rolled("patch_forces"), (*CONTACTS, "mixed")),
    "wrenches at the next clutch": (rolled("clutch_wrenches", "clutch_pressure"), CLUTCHES),
    "forces at the next hinge": (rolled("hinge_forces"), LINKAGE),
    "components in another order": (along_other_axes, ALL),
    "a frame turned by a degree": (in_a_turned_frame, ALL),
    "wrenches in world axes": (in_world_axes, ("cantilever",)),
    "wrenches about the world's origin": (about_the_world_origin, CLUTCHES),
    "moments dropped": (moments(0.0), ("cantilever", "mixed", "linkage")),
    "moments with the other sign": (moments(-1.0), ("cantilever", "mixed", "linkage")),
    "moments in newton millimetres": (moments(1e3), ("cantilever", "mixed", "linkage")),
    "pressures dropped": (scaled(0.0, "clutch_pressure"), CLUTCHES),
    "pressures with the other sign": (scaled(-1.0, "clutch_pressure"), CLUTCHES),
    "contacts that pull, in balance": (strained(alternating), CONTACTS),
    "contacts beyond friction, in balance": (strained(along_the_diagonal), CONTACTS),
    "faces that pull, in balance": (faces_that_pull, CLUTCHES),
    "studs stronger than they are, in balance": (studs_against_faces(100.0), CLUTCHES),
    "studs that push, in balance": (studs_against_faces(-100.0), CLUTCHES),
    "a hinge that carries a moment about its axis": (swung_by_a_moment, LINKAGE),
    "contact forces that are no numbers": (nonsense(np.nan, "patch_forces"), (*CONTACTS, "mixed")),
    "infinite contact forces": (nonsense(np.inf, "patch_forces"), (*CONTACTS, "mixed")),
    "wrenches that are no numbers": (nonsense(np.nan, "clutch_wrenches"), CLUTCHES),
    "infinite pressures": (nonsense(np.inf, "clutch_pressure"), CLUTCHES),
    "hinge forces that are no numbers": (nonsense(np.nan, "hinge_forces"), LINKAGE),
    "infinite hinge moments": (nonsense(-np.inf, "hinge_moments"), LINKAGE),
    "the gravity of the moon": (under(0.0, 0.0, -1.62), ALL),
    "gravity upside down": (under(0.0, 0.0, 9.81), ALL),
    "gravity a hundredth of a degree aslant": (under(9.81 * 1.7e-4, 0.0, -9.81), ALL),
    "no gravity": (under(0.0, 0.0, 0.0), ALL),
    "the load forgotten": (loaded(lambda load: ()), ("cantilever", "linkage")),
    "the load twice": (loaded(lambda load: (load, load)), ("cantilever", "linkage")),
    "the load at the centre of mass": (loaded(lambda load: (replace(load, point_m=None),)), ("cantilever", "linkage")),
    "the load from the other side": (loaded(lambda load: (replace(load, force_n=-load.force_n),)), ("linkage",)),
    "contacts with their bodies exchanged": (turned_round, (*CONTACTS, "mixed")),
    "contacts beside their places": (shifted, (*CONTACTS, "mixed")),
    "normals that point the other way": (downside_up, (*CONTACTS, "mixed")),
    "no friction": (friction(0.0), ("arch",)),
    "clutches of a thousandth of the strength": (strength(1e-3), CLUTCHES),
    "a part that is not there": (without, (*CONTACTS, "cantilever", "mixed")),
    "a part that a hand would have to hold": (let_go, ALL),
}


# Motions


def twists(change: Callable[[Case, Array], Array]) -> Planted:
    return lambda case: case.with_motion(twists=change(case, np.array(case.motion.twists)))


def slips(change: Callable[[Array], Array]) -> Planted:
    return lambda case: case.with_motion(clutch_slips=change(np.array(case.motion.clutch_slips)))


def about_the_origin(case: Case, moved: Array) -> Array:
    """Velocities at the world's origin, not at the centres of mass."""
    return np.concatenate([moved[:, :3] - np.cross(moved[:, 3:], case.assembly.coms_m), moved[:, 3:]], axis=1)


def sinking(case: Case, moved: Array) -> Array:
    fastest = int(np.argmax(np.linalg.norm(moved[:, :3], axis=1)))
    moved[fastest, :3] -= 0.3 * np.linalg.norm(moved[fastest, :3]) * np.array([0.6, 0.0, 0.8])
    return moved


def leaving_one_behind(case: Case, moved: Array) -> Array:
    """The slowest part that moves at all stays where it is."""
    speeds = Referee(case.assembly, case.joints).faster(moved, 1e-6)
    slowest = min(np.flatnonzero(speeds), key=lambda body: float(np.linalg.norm(moved[body, :3])))
    moved[slowest] = 0.0
    return moved


def only_what_is_fixed(case: Case, moved: Array) -> Array:
    return np.where(_free(case)[:, None], 0.0, np.array([0.0, 0, -1, 0, 0, 0]))


def sideways_turns(case: Case, moved: Array) -> Array:
    """Turns about x that the hinges' axes do not allow."""
    moved[:, 3] += 1e-3 * np.abs(moved).max() * _free(case)
    return moved


def spinning_as(value: float) -> Planted:
    def changed(case: Case, moved: Array) -> Array:
        moved[_free(case), 4] = value
        return moved

    return twists(changed)


def held(case: Case) -> Case:
    """Everything that moves is in a hand."""
    moving = np.flatnonzero(np.abs(case.motion.twists).max(axis=1) > 0)
    free = case.state.free(case.assembly)
    return case.but(state=State.complete(case.assembly, held=sum(1 << int(body) for body in moving) & free))


def exchanged(values: Array) -> Array:
    """The rows of +F_t for those of −F_t and the opening of studs for sliding: the list read backwards."""
    return values[::-1]


WRONG_MOTIONS: dict[str, tuple[Planted, tuple[str, ...]]] = {
    "the motion backwards": (twists(lambda case, moved: -moved), ALL),
    "no motion": (twists(lambda case, moved: 0 * moved), ALL),
    "a part that sinks too slowly for its squares": (twists(lambda case, moved: 1e-160 * sinking(case, moved)), ALL),
    "turns dropped": (twists(lambda case, moved: moved * np.repeat([1.0, 0.0], 3)), ALL),
    "velocities dropped": (twists(lambda case, moved: moved * np.repeat([0.0, 1.0], 3)), ALL),
    "turns in degrees": (twists(lambda case, moved: moved * np.repeat([1.0, 57.3], 3)), ALL),
    "velocities in millimetres": (twists(lambda case, moved: moved * np.repeat([1e3, 1.0], 3)), ALL),
    "turns with the other sign": (twists(lambda case, moved: moved * np.repeat([1.0, -1.0], 3)), ALL),
    "motions of the next part": (twists(lambda case, moved: np.roll(moved, 1, axis=0)), ALL),
    "velocities at the world's origin": (twists(about_the_origin), ALL),
    "components in another order": (twists(lambda case, moved: moved[:, [2, 0, 1, 5, 3, 4]]), ALL),
    "a frame turned by a degree": (twists(lambda case, moved: (moved.reshape(-1, 2, 3) @ TURN.T).reshape(-1, 6)), ALL),
    "a part that sinks into its neighbour": (twists(sinking), ALL),
    "a part left behind": (twists(leaving_one_behind), ALL),
    "a motion of what is fixed": (twists(only_what_is_fixed), ALL),
    "hinges turned about another axis": (twists(sideways_turns), LINKAGE),
    "turns that are no numbers": (spinning_as(np.nan), ALL),
    "infinite turns": (spinning_as(np.inf), ALL),
    "slips that nobody pays for": (slips(lambda z: 0 * z), CLUTCHES),
    "slips paid with the other sign": (slips(lambda z: -z), CLUTCHES),
    "half of the slips": (slips(lambda z: 0.5 * z), CLUTCHES),
    "slips in millimetres": (slips(lambda z: 1e3 * z), CLUTCHES),
    "slips at the next point": (slips(lambda z: np.roll(z, 1)), CLUTCHES),
    "slips in another order": (slips(exchanged), CLUTCHES),
    "credit for negative slips": (slips(lambda z: z - 10 * z.max()), CLUTCHES),
    "slips that are no numbers": (slips(lambda z: np.nan * z), CLUTCHES),
    "infinite slips": (slips(lambda z: np.full_like(z, np.inf)), CLUTCHES),
    "clutches of thrice the strength": (strength(3.0), CLUTCHES),
    "gravity upside down": (under(0.0, 0.0, 9.81), ("arch", "stack", "mixed", "linkage")),
    "no gravity": (under(0.0, 0.0, 0.0), ("arch", "stack", "mixed", "linkage")),
    "the load forgotten": (loaded(lambda load: ()), ("cantilever",)),
    "half of the load": (loaded(lambda load: (replace(load, force_n=0.5 * load.force_n),)), ("cantilever",)),
    "the load at the centre of mass": (loaded(lambda load: (replace(load, point_m=None),)), ("cantilever",)),
    "contacts with their bodies exchanged": (turned_round, (*CONTACTS, "slope")),
    "contacts beside their places": (shifted, CONTACTS),
    "normals that point the other way": (downside_up, (*CONTACTS, "slope")),
    "friction ten times as high": (friction(10.0), ("slope",)),
    "a motion of what a hand holds": (held, ALL),
}


def _free(case: Case) -> Bools:
    return np.array([case.state.free(case.assembly) >> body & 1 for body in range(len(case.assembly.bodies))], bool)
