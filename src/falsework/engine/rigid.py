"""An assembly's parts as loose rigid bodies in MuJoCo: no clutches, only contact and friction.

Fixed and held parts stand still. A table is an endless plane; a baseplate is a plate with an endless floor under it.
Parts collide as convex pieces; those that no such pieces fill collide by their surfaces (`surface_contacts`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from falsework.engine.colliders import Box, Collider, Cylinder, colliders, pieces_fill
from falsework.engine.contact import ContactSettings
from falsework.engine.contact_forces import Touches, touches
from falsework.engine.library import mujoco
from falsework.engine.surface_contacts import Body, SurfaceContacts
from falsework.geometry.distance.surface import surface_of
from falsework.geometry.shapes.convex_pieces import Convex
from falsework.model.arrays import Array
from falsework.model.assembly import Assembly
from falsework.model.errors import BadInput, Undecided, shown
from falsework.model.part import Part
from falsework.model.poses import to_quaternion
from falsework.model.shapes import corners

SPOT_M = 1e-6


class RigidScene:
    """Parts as free rigid bodies.

    >>> import falsework
    >>> arch = falsework.load("examples/arch.yaml")
    >>> scene = RigidScene(arch, held=["keystone"])
    >>> scene.step(0.01)
    >>> scene.poses()[arch.index["stone-3"]].shape
    (4, 4)
    """

    def __init__(
        self,
        assembly: Assembly,
        *,
        held: Iterable[str] = (),
        absent: Iterable[str] = (),
        settings: ContactSettings | None = None,
        shapes: Callable[[Part], tuple[Collider, ...]] | None = None,
        among_themselves: bool = True,
        extend: Callable[[Any], None] | None = None,
    ) -> None:
        """`shapes` are what parts collide as, their solids unless told; `extend` adds to the scene before it is made.

        Not `among_themselves`: free parts collide with what stands still only.
        """
        self.assembly = assembly
        self.settings = settings or ContactSettings()
        self._shapes, self._apart = shapes or solid_colliders, not among_themselves
        still, gone = assembly.fixed_mask() | assembly.mask(held), assembly.mask(absent)
        if gone & assembly.fixed_mask():
            raise BadInput(f"fixed parts cannot be absent: {', '.join(assembly.named(gone & assembly.fixed_mask()))}")
        spec = mujoco().MjSpec()
        self.settings.options(spec)
        spec.option.gravity = assembly.gravity
        self._present = [n for n in range(len(assembly.bodies)) if not gone >> n & 1]
        for number in self._present:
            self._add(spec, number, bool(still >> number & 1))
        if extend is not None:
            extend(spec)
        self.model: Any = spec.compile()
        self.data: Any = mujoco().MjData(self.model)
        self._ids = np.array([self.model.body(f"{n}").id for n in self._present], dtype=np.int64)
        self._numbers = np.full(self.model.nbody, -1)  # body of the assembly of each body of the engine
        self._numbers[self._ids] = self._present
        self._rough = self._surface_contacts(still)
        self._look()

    def _add(self, spec: Any, number: int, still: bool) -> None:
        part = self.assembly.bodies[number]
        place = {"pos": part.T_world_part[:3, 3], "quat": to_quaternion(part.T_world_part[:3, :3])}
        body = spec.worldbody.add_body(name=f"{number}", **place)
        if not still:
            body.add_freejoint()
            set_inertia(body, part.mass_kg, part.com_part_m, part.inertia_part_kgm2)
        if self._is_rough(part):
            body.add_geom(size=(SPOT_M, 0.0, 0.0), contype=0, conaffinity=0)  # what contacts are told by
            return
        pieces = self._shapes(part)
        bits = (1, 1) if not self._apart else (2, 1) if still else (1, 2)
        meets = {"contype": bits[0], "conaffinity": bits[1]}
        if part is not self.assembly.ground_part:
            add_pieces(spec, body, pieces, {**self.settings.geom(self.assembly.friction), **meets}, f"{number}")
            return
        ground = self.assembly.ground
        friction = self.assembly.friction if ground.friction is None else ground.friction
        own = {**self.settings.geom(friction), **meets}
        if ground.kind == "table":
            add_plane(body, _height(part).max(), own, part.T_world_part)
        else:
            add_pieces(spec, body, pieces, own, f"{number}")
            add_plane(spec.worldbody, _height(part).min(), own)

    def _is_rough(self, part: Part) -> bool:
        return self._shapes is solid_colliders and part is not self.assembly.ground_part and not pieces_fill(part.shape)

    def _surface_contacts(self, still: int) -> SurfaceContacts:
        bodies = []
        assembly = self.assembly
        for number, engine in zip(self._present, self._ids.tolist(), strict=True):
            part = assembly.bodies[number]
            on_table = part is assembly.ground_part and assembly.ground.kind == "table"
            given = assembly.ground.friction if part is assembly.ground_part else None
            bodies.append(
                Body(
                    engine,
                    int(self.model.body_geomadr[engine]),
                    bool(still >> number & 1),
                    self._is_rough(part),
                    None if on_table else surface_of(part.shape),
                    float(_height(part).max()),
                    assembly.friction if given is None else given,
                )
            )
        return SurfaceContacts(bodies, self.settings)

    @property
    def time_s(self) -> float:
        return float(self.data.time)

    def poses(self) -> Array:
        """(bodies, 4, 4) T_world_part now; absent parts where the assembly has them."""
        poses = np.array(self.assembly.poses)
        poses[self._present, :3, :3] = self.data.xmat[self._ids].reshape(-1, 3, 3)
        poses[self._present, :3, 3] = self.data.xpos[self._ids]
        return poses

    def velocities(self) -> Array:
        """(bodies, 6) velocity of the centre of mass and angular velocity, world axes."""
        twists = np.zeros((len(self.assembly.bodies), 6))
        spin = self.data.cvel[self._ids, :3]  # about the centre of mass of the tree: a free body's own
        twists[self._present, :3] = self.data.cvel[self._ids, 3:]
        twists[self._present, 3:] = spin
        return twists

    def touches(self) -> Touches:
        """Every contact now, with its force; body −1 is the floor under a baseplate."""
        return touches(self.data, self._numbers[self.model.geom_bodyid])

    def step(self, seconds: float) -> None:
        """Advance by `seconds`, in equal steps of at most `settings.step_s`."""
        if not 0 < seconds < math.inf:
            raise BadInput(f"step: found {shown(seconds)} s, expected a positive number")
        count = max(1, math.ceil(seconds / self.settings.step_s - 1e-9))
        self.model.opt.timestep = seconds / count
        if self._rough:
            for _ in range(count):
                mujoco().mj_step1(self.model, self.data)
                self._rough.add(self.model, self.data)
                mujoco().mj_step2(self.model, self.data)
        else:
            mujoco().mj_step(self.model, self.data, nstep=count)
        self._look()
        if not np.isfinite(self.data.qpos).all() or not np.isfinite(self.data.qvel).all():
            raise Undecided(f"the engine lost a body at {self.time_s:.4g} s; smaller steps may help")

    def _look(self) -> None:
        """Poses and contacts of now, not of before the last step."""
        mujoco().mj_forward(self.model, self.data)
        if self._rough:
            self._rough.add(self.model, self.data)
            mujoco().mj_forwardSkip(self.model, self.data, mujoco().mjtStage.mjSTAGE_VEL, 1)


def solid_colliders(part: Part) -> tuple[Collider, ...]:
    """The convex pieces that fill a part."""
    return colliders(part.shape)


def add_pieces(spec: Any, body: Any, pieces: tuple[Collider, ...], look: dict[str, Any], name: str) -> None:
    """A part's convex pieces on its body of the scene."""
    kinds = mujoco().mjtGeom
    for count, piece in enumerate(pieces):
        match piece:
            case Box():
                place = {"pos": piece.centre_m, "quat": to_quaternion(piece.turn)}
                body.add_geom(type=kinds.mjGEOM_BOX, size=piece.half_m, **place, **look)
            case Cylinder():
                size = (piece.radius_m, piece.half_m, 0.0)
                body.add_geom(type=kinds.mjGEOM_CYLINDER, size=size, pos=piece.centre_m, **look)
            case Convex():
                spec.add_mesh(name=f"{name}#{count}", uservert=piece.vertices.ravel())
                body.add_geom(type=kinds.mjGEOM_MESH, meshname=f"{name}#{count}", **look)


def add_plane(body: Any, height_m: float, look: dict[str, Any], T_world_body: Array | None = None) -> None:
    """An endless level floor at a height in the world, on a body that never moves. Its friction is what counts."""
    place, turn = np.array([0.0, 0.0, height_m]), np.eye(3)
    if T_world_body is not None:
        turn = T_world_body[:3, :3].T
        place = turn @ (place - T_world_body[:3, 3])
    plane = mujoco().mjtGeom.mjGEOM_PLANE
    body.add_geom(type=plane, size=(0.0, 0.0, 1.0), pos=place, quat=to_quaternion(turn), priority=1, **look)


def _height(part: Part) -> Array:
    heights: Array = (corners(part.shape) @ part.T_world_part[:3, :3].T + part.T_world_part[:3, 3])[:, 2]
    return heights


def set_inertia(body: Any, mass_kg: float, com_m: Array, inertia_kgm2: Array) -> None:
    """Mass, centre and inertia as they are, not as the shapes would have them."""
    body.explicitinertial = True
    body.mass = mass_kg
    body.ipos = com_m
    moments, axes = np.linalg.eigh(inertia_kgm2)
    if np.linalg.det(axes) < 0:
        axes[:, 0] *= -1.0
    body.iquat = to_quaternion(axes)
    body.inertia = moments
