"""The cell, its arms and all parts as a scene of MuJoCo that is put to any instant of a motion."""

from __future__ import annotations

from dataclasses import dataclass
from xml.etree import ElementTree as ET

import numpy as np

from falsework.engine.library import mujoco
from falsework.formats.robots.cell_mjcf import cell_mjcf
from falsework.geometry.shapes.convex_pieces import pieces_of
from falsework.model.arrays import Array, Bools, Ints
from falsework.model.assembly import Assembly
from falsework.model.poses import inverse
from falsework.model.robots.motion import Motion, Stay
from falsework.robots.verification.polynomials import Rows

GONE_M = 1e3  # below everything: where a part is that is not in the cell


@dataclass(frozen=True, slots=True, eq=False)
class Geoms:
    """The solids of the scene, by MuJoCo's numbers, and whose each is."""

    arm: Ints  # (g,) number of the arm that it belongs to; −1: of none
    link: Ints  # (g,) behind how many of its joints; 0: the base
    tool: Bools  # (g,) of the tool
    part: Ints  # (g,) number of the part that it belongs to; −1: of none
    table: Bools  # (g,) the cell's table
    ground: Bools  # (g,) what the assembly stands on, a part of it
    studs: Array  # (g,) m by which it goes into what it is joined with: the height of a brick's studs, else 0
    names: tuple[str, ...]  # in words
    radius: Array  # (g,) of a ball around its middle


class Stage:
    """A motion's scene. `put` brings everything to where it is at an instant."""

    def __init__(self, motion: Motion, assembly: Assembly) -> None:
        self.motion = motion
        self.studs: dict[str, float] = {}  # heights, by the names of the solids that stand for studs
        self.parts = [body for body in assembly.bodies if not _same_table(motion, assembly, body.name)]
        self._ground = None if assembly.ground_part is None else assembly.ground_part.name
        self._engine = mujoco()
        self.model = self._engine.MjModel.from_xml_string(self._text())
        self.data = self._engine.MjData(self.model)
        self.rows = [Rows(track) for track in motion.tracks]
        self.geoms = self._told()
        self._openings = {one.name: _opening_line(motion, one.name) for one in motion.cell.movers}
        self._joints = [
            np.array([self.model.joint(f"{one.name}/{joint.name}").id for joint in one.arm.joints])
            for one in motion.cell.movers
        ]
        self.slides = [np.array([joint.kind == "prismatic" for joint in one.arm.joints]) for one in motion.cell.movers]
        self._addresses = [self.model.jnt_qposadr[ids] for ids in self._joints]
        self._fingers = [self._fingers_of(one.name) for one in motion.cell.movers]
        self._mocap = [int(self.model.body(f"part {k}").mocapid[0]) for k in range(len(self.parts))]
        self.levers = self._levers()
        self.stays = _by_part(motion, [part.name for part in self.parts])
        self._placed: list[Stay | None] = [None] * len(self.parts)  # as they were put last
        for k in range(len(self.parts)):
            self._place(k, None)
        self.hands = len(motion.cell.arms)  # the first of what moves; then the turntable
        self._tools = [self.model.site(f"{one.name}/tool").id for one in motion.cell.movers]

    def put(self, time: float, staying: list[Stay | None] | None = None) -> None:
        """Everything to where it is at a time; `staying`, where it is known, is what `staying(time)` gives."""
        for rows, places, one, fingers in zip(
            self.rows, self._addresses, self.motion.cell.movers, self._fingers, strict=True
        ):
            self.data.qpos[places] = rows.at(time)
            opening = self._opening(one.name, time)
            for address, share in fingers:
                self.data.qpos[address] = share * opening
        self._engine.mj_kinematics(self.model, self.data)
        changed = False
        for k, stay in enumerate(self.staying(time) if staying is None else staying):
            if stay is not self._placed[k] or (stay is not None and stay.arm is not None):
                self._place(k, None if stay is None else self._pose(stay))
                self._placed[k] = stay
                changed = True
        if changed:
            self._engine.mj_kinematics(self.model, self.data)

    def _opening(self, arm: str, time: float) -> float:
        """How far fingers are open, from corners of a line where commands follow each other, as they should."""
        corners = self._openings.get(arm)
        if corners is None:
            return self.motion.opening_at(arm, time)
        return float(np.interp(time, *corners))

    def place_of(self, number: int) -> Array:
        """(4, 4) where a part has its place, the turntable being where everything was put last."""
        T: Array = self.motion.T_world_assembly @ self.parts[number].T_world_part
        if self.motion.cell.rotary is not None:
            middle = np.eye(4)
            middle[:3, 3] = self.motion.cell.rotary.centre_m
            T = self.tool(len(self._tools) - 1) @ inverse(middle) @ T
        return T

    def put_assembled(self) -> None:
        """All parts to their places in the finished structure, the turntable at 0."""
        for k, part in enumerate(self.parts):
            self._place(k, self.motion.T_world_assembly @ part.T_world_part)
            self._placed[k] = None
        self._engine.mj_kinematics(self.model, self.data)
        for k in range(len(self.parts)):  # the next instant puts every part anew
            self._place(k, None)

    def staying(self, time: float) -> list[Stay | None]:
        """The stay of every part, None where it is not in the cell; of two that meet the later one."""
        found: list[Stay | None] = []
        for stays in self.stays:
            now = [one for one in stays if one.begin_s <= time <= one.end_s]
            found.append(now[-1] if now else None)
        return found

    def tool(self, arm: int) -> Array:
        """(4, 4) the tool point of an arm, where everything was put last."""
        T = np.eye(4)
        T[:3, :3] = self.data.site_xmat[self._tools[arm]].reshape(3, 3)
        T[:3, 3] = self.data.site_xpos[self._tools[arm]]
        return T

    def tool_at(self, arm: int, time: float) -> Array:
        """(4, 4) the tool point of an arm at a time; nothing else is put anywhere."""
        self.data.qpos[self._addresses[arm]] = self.rows[arm].at(time)
        self._engine.mj_kinematics(self.model, self.data)
        return self.tool(arm)

    def part_pose(self, number: int) -> Array:
        """(4, 4) where a part was put last."""
        body = self.model.body(f"part {number}").id
        T = np.eye(4)
        T[:3, :3], T[:3, 3] = self.data.xmat[body].reshape(3, 3), self.data.xpos[body]
        return T

    def turning(self, arm: int) -> tuple[Array, Array]:
        """(n, 3) axes and (n, 3) points on them of an arm's joints, where everything was put last."""
        ids = self._joints[arm]
        return self.data.xaxis[ids], self.data.xanchor[ids]

    def distance(self, first: int, second: int, most: float) -> float:
        """Between two solids, at most `most`; below 0 where they overlap."""
        return float(self._engine.mj_geomDistance(self.model, self.data, first, second, most, None))

    def _pose(self, stay: Stay) -> Array:
        if stay.arm is None:
            return stay.T
        number = [one.name for one in self.motion.cell.movers].index(stay.arm)
        T: Array = self.tool(number) @ stay.T
        return T

    def _place(self, k: int, T: Array | None) -> None:
        self.data.mocap_pos[self._mocap[k]] = (0.0, 0.0, -GONE_M) if T is None else T[:3, 3]
        if T is not None:
            self._engine.mju_mat2Quat(self.data.mocap_quat[self._mocap[k]], T[:3, :3].ravel())

    def _text(self) -> str:
        root = ET.fromstring(cell_mjcf(self.motion.cell))
        assets, world = root.find("asset"), root.find("worldbody")
        assert assets is not None
        assert world is not None
        for k, part in enumerate(self.parts):
            body = ET.SubElement(world, "body", name=f"part {k}", mocap="true")
            for number, piece in enumerate(pieces_of(part.shape).all):
                name = f"part {k} piece {number}"
                corners = " ".join(repr(float(value)) for value in piece.vertices.ravel())
                ET.SubElement(assets, "mesh", name=name, vertex=corners, inertia="convex")
                ET.SubElement(body, "geom", name=name, type="mesh", mesh=name)
                if pieces_of(part.shape).studs is piece:
                    self.studs[name] = float(np.ptp(piece.vertices[:, 2]))
        return ET.tostring(root, encoding="unicode")

    def _told(self) -> Geoms:
        model, arms = self.model, self.motion.cell.movers
        count = model.ngeom
        arm, link = np.full(count, -1, np.int64), np.zeros(count, np.int64)
        tool, part = np.zeros(count, bool), np.full(count, -1, np.int64)
        names = []
        for g in range(count):
            body = model.body(int(model.geom_bodyid[g])).name
            owner, _, rest = body.partition("/")
            number = next((k for k, one in enumerate(arms) if one.name == owner and rest), None)
            if number is not None:
                joints = [joint.name for joint in arms[number].arm.joints]
                tool[g] = rest == "flange" or rest.startswith("fingers")
                arm[g], link[g] = number, len(joints) if tool[g] else 0 if rest == "base" else joints.index(rest) + 1
                what = "the tool" if tool[g] else f"link {link[g]}"
                names.append(f"{what} of {owner!r}")
            elif body.startswith("part "):
                part[g] = int(body.removeprefix("part "))
                names.append(f"part {self.parts[part[g]].name!r}")
            else:
                names.append("the table" if model.geom(g).name == "table" else repr(body))
        studs = np.array([self.studs.get(model.geom(g).name, 0.0) for g in range(count)])
        table = np.array([model.geom(g).name == "table" for g in range(count)], bool)
        ground = np.array([k >= 0 and self.parts[k].name == self._ground for k in part.tolist()], bool)
        return Geoms(arm, link, tool, part, table, ground, studs, tuple(names), model.geom_rbound.copy())

    def _fingers_of(self, name: str) -> list[tuple[int, float]]:
        """Where the slides of an arm's fingers are, and how far each goes for a metre of opening."""
        tool = self.motion.cell.mover_named(name).tool
        travels = {tuple(body.travel.tolist()): None for body in tool.bodies if body.travel.any()}
        return [
            (int(self.model.jnt_qposadr[self.model.joint(f"{name}/fingers{k}").id]), float(np.linalg.norm(travel)))
            for k, travel in enumerate(travels)
        ]

    def _levers(self) -> Array:
        """(g, n) how far any point of a solid of an arm can be from each of the arm's joints, n the most of any arm."""
        arms = self.motion.cell.movers
        found = np.zeros((self.model.ngeom, max(len(one.arm.joints) for one in arms)))
        for g in np.flatnonzero(self.geoms.arm >= 0).tolist():
            one = arms[self.geoms.arm[g]]
            out = float(np.linalg.norm(self.model.geom_pos[g])) + self.geoms.radius[g]
            if self.geoms.tool[g]:
                travel = max((float(np.linalg.norm(body.travel)) for body in one.tool.bodies), default=0.0)
                out += float(np.linalg.norm(one.arm.T_last_flange[:3, 3])) + travel * one.tool.opening_m[1]
            found[g, : self.geoms.link[g]] = self._to_joints(self.geoms.arm[g], self.geoms.link[g], out)
        return found

    def carried_levers(self, stay: Stay, geoms: Ints) -> Array:
        """(k, n) the same for the solids of a part in a hand, or on the turntable."""
        arms = self.motion.cell.movers
        number = [one.name for one in arms].index(str(stay.arm))
        one = arms[number]
        flange = np.linalg.norm((one.tool.T_flange_tool @ stay.T)[:3, 3]) + np.linalg.norm(one.arm.T_last_flange[:3, 3])
        found = np.zeros((len(geoms), self.levers.shape[1]))
        n = len(one.arm.joints)
        for k, g in enumerate(geoms.tolist()):
            out = float(flange + np.linalg.norm(self.model.geom_pos[g]) + self.geoms.radius[g])
            found[k, :n] = self._to_joints(number, n, out)
        return found

    def _to_joints(self, arm: int, link: int, out: float) -> Array:
        """(link,) from each joint to a point that is `out` from the origin of a link, at most."""
        joints = self.motion.cell.movers[arm].arm.joints
        found = np.zeros(link)
        far = out
        for k in range(link - 1, -1, -1):
            slides = joints[k].kind == "prismatic"
            found[k] = max(1.0, far) if slides else far
            far += float(np.linalg.norm(joints[k].T_parent_joint[:3, 3]))
            far += max(abs(joints[k].lower), abs(joints[k].upper)) if slides else 0.0
        return found


def _opening_line(motion: Motion, arm: str) -> tuple[list[float], list[float]] | None:
    """Times, and how far fingers are open then; None where a command begins before the one before has ended."""
    opening = motion.cell.mover_named(arm).tool.opening_m[1]
    times, openings = [0.0], [opening]
    for one in motion.commands:
        if one.arm == arm:
            if one.begin_s < times[-1] or one.end_s <= one.begin_s:
                return None
            times += [one.begin_s, one.end_s]
            openings += [opening, one.opening_m]
            opening = one.opening_m
    return times, openings


def _same_table(motion: Motion, assembly: Assembly, name: str) -> bool:
    """The assembly's own table is the cell's, if that has one."""
    ground = assembly.ground_part
    return bool(
        ground is not None and name == ground.name and assembly.ground.kind == "table" and motion.cell.table is not None
    )


def _by_part(motion: Motion, names: list[str]) -> list[list[Stay]]:
    found: dict[str, list[Stay]] = {name: [] for name in names}
    for stay in sorted(motion.stays, key=lambda one: one.begin_s):
        if stay.part in found:
            found[stay.part].append(stay)
    return [found[name] for name in names]
