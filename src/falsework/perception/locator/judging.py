"""From supposed bricks to answers: packed exactly, compared with rivals, found or refused."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np
from scipy import sparse
from scipy.sparse import csgraph

from falsework.model.arrays import Array
from falsework.model.catalogue import BrickType
from falsework.model.perception.findings import Brick, Located, Refused
from falsework.perception.locator.aligning import Aligned, aligned
from falsework.perception.locator.by_pixels import settled
from falsework.perception.locator.by_studs import moved_by_studs, on_its_colour, settled_by_studs
from falsework.perception.locator.clutched import by_its_neighbours, carries
from falsework.perception.locator.conflicts import conflicts
from falsework.perception.locator.labels import Labels, chroma_of
from falsework.perception.locator.packing import Packing, footprints_overlap
from falsework.perception.locator.retiling import Lying, Tile, other_tilings, tiles_of
from falsework.perception.locator.settings import LocatorSettings
from falsework.perception.locator.solids import footprint, placed
from falsework.perception.locator.stacking import going_on, stacked
from falsework.perception.locator.studs_seen import studs_seen
from falsework.perception.locator.supposed import Supposed, same_place
from falsework.perception.locator.supposing import Supposing
from falsework.perception.locator.views import View

_CHI2_95 = 5.991  # of two dimensions
_PLACE_PX = 0.8  # by pixels alone
_SHADE_PX = 0.15  # more, where only brightness tells a brick from its floor: shadows have edges too
_ASTRAY_PX = 2.0  # what a last look at its outline may move a brick by
_LAST_REACHES = (2.5, *(2.0,) * 8)  # px, for bricks that were chosen
_MORE_BRICKS = 1  # that a rival packing may have and be compared by the picture alone
_LEAST_DEEP = 0.25  # of the pixels that show a brick: so many must have depth
_OFF_STUD = 0.5  # of a stud's height: a top that is farther off is another layer's, or tilted
_MOST_HUE = 0.08  # of a brick without hue, in the mean: the whitest of true ones have 0.07, under gloss
_EVERY = 7  # pixels: those that are asked which bricks share them
_MOST_STOREYS = 4  # that are looked for, one after another, where tops are hidden


Answers = tuple[list[tuple[Supposed, Located]], list[tuple[list[Supposed], Refused]]]


def judged(supposing: Supposing, labels: Labels) -> Answers:
    """All that may lie there, packed; what does not fit as it lies is settled by pixels or studs, and packed again.

    Then what may be stacked with those chosen is supposed too, and packed, storey by storey. With several views, what
    is chosen above the floor rests on something that is seen. One view alone hides too much to say so: there a brick
    that would not be chosen if it were so is refused.
    """
    those = supposing.all(range(len(labels.groups)))
    told = supposing.views, supposing.kinds, labels, supposing.settings
    judging = Judging(those, *told)
    chosen, others = judging.chosen()
    more, asked = settled(supposing.views, chosen + others, supposing.weighed), set[int]()
    more += settled_by_studs(supposing.views, chosen + others, supposing.weighed)
    for _ in range(_MOST_STOREYS):
        more += going_on(supposing, [one for one in chosen + others if id(one) not in asked], those)
        more += stacked(supposing, chosen, those)
        if not more:
            break
        asked |= {id(one) for one in chosen + others}
        those, more = [*those, *more], []
        judging = Judging(those, *told)
        chosen, others = judging.chosen()
    above = [one for one in chosen if one.bottom_m > supposing.floor_of(one) + 1e-3]
    if not above:
        return judging.answers()
    carried = Judging(those, *told, standing=above)
    return carried.answers() if len(supposing.views) > 1 else judging.answers(carried.chosen()[0])


class Judging:
    """The bricks that together explain the views best, and what else would."""

    def __init__(
        self,
        those: Sequence[Supposed],
        views: Sequence[View],
        kinds: Sequence[BrickType],
        labels: Labels,
        settings: LocatorSettings,
        standing: Sequence[Supposed] = (),
    ) -> None:
        """`standing` are bricks that something must carry: a packing in which nothing does explains less."""
        self.those, self.views, self.kinds, self.labels, self.settings = list(those), views, kinds, labels, settings
        cells = [one.total / (one.kind.length * one.kind.width * len(views)) for one in self.those]
        self.costs = [_doubts(one) + settings.brick_cost * cell for one, cell in zip(self.those, cells, strict=True)]
        self.chances = [settings.chance * cell for cell in cells]
        self.by_chance = [_doubts(one) + chance for one, chance in zip(self.those, self.chances, strict=True)]
        self.explained = [one.shows for one in self.those]
        self._carry(standing)
        self.apart = np.array(conflicts(self.those, kinds), dtype=np.int64).reshape(-1, 2)
        self.light = 0.85

    def _carry(self, standing: Sequence[Supposed]) -> None:
        """That a brick stands counts as pixels that any brick under it explains: more than rivals may differ by.

        Only those that their own pixels speak for carry others; no brick is made up for it. In one view what carries
        it may be hidden: there it counts only as much as a picture may mislead.
        """
        worth = self.settings.carried_px if len(self.views) > 1 else int(2 * self.settings.rival_px)
        start = sum(view.depth.size for view in self.views)
        for number, upper in enumerate(standing):
            told = start + worth * number + np.arange(worth)
            for at, one in enumerate(self.those):
                if len(one.shows) > self.costs[at] and carries(one, upper):
                    self.explained[at] = np.concatenate([self.explained[at], told])

    def answers(self, instead: Sequence[Supposed] | None = None) -> Answers:
        """Those found, and those refused with what explains each as well; what `instead` does without is refused."""
        chosen = [one for cluster in self._clusters for one in self._packed(*cluster)]
        self._add_retilings(chosen)
        if instead is not None:
            self._add_disputes(chosen, instead)
        self.light = self._brightness([one for one, _ in chosen])
        found, refused = [], []
        fitted = [(one, *self._fitted(one)) for one, _ in chosen]
        for own, (one, rivals) in zip(fitted, chosen, strict=True):
            pose, covariance = by_its_neighbours(own, fitted) if self._vague(one, own[2]) else own[1:]
            why, decide = self._objection(one, rivals, covariance)
            if why:
                others = tuple(tuple(self._brick(rival) for rival in packing) for packing in rivals)
                middle = np.array([*one.middle_m, one.bottom_m])
                mine = (self._brick(one),)
                told = Refused(why, middle, (mine, *others), decide, one.extent)
                refused.append(([one, *(rival for packing in rivals for rival in packing)], told))
            else:
                share = len(one.shows) / max(one.total, 1.0)
                T = _least_turn(replace(one, T_base_brick=pose))
                found.append((one, Located(one.kind, self._color(one), T, covariance, min(1.0, share))))
        return found, refused

    def chosen(self) -> tuple[list[Supposed], list[Supposed]]:
        """Those that together explain the views best, and others that do where it hardly counts how many they are."""
        few, more = list[Supposed](), list[Supposed]()
        for cluster, packing, by_chance in self._clusters:
            (best, _), (told, _) = packing.best(), by_chance.best()
            few += [self.those[cluster[at]] for at in best]
            more += [self.those[cluster[at]] for at in told if at not in best]
        return few, more

    @cached_property
    def _clusters(self) -> list[tuple[list[int], Packing, Packing]]:
        """Supposed bricks that share pixels or room, together, at what they cost, and where it is but their chance."""
        some = [pixels[pixels % _EVERY == 0] for pixels in self.explained]
        owners = np.repeat(np.arange(len(some)), [len(one) for one in some])
        pixels = np.concatenate([*some, np.zeros(0, np.int64)])
        order = np.argsort(pixels, kind="stable")
        same = np.flatnonzero(np.diff(pixels[order]) == 0)
        one = np.concatenate([owners[order[same]], self.apart[:, 0]])
        other = np.concatenate([owners[order[same + 1]], self.apart[:, 1]])
        count = len(self.those)
        links = sparse.coo_array((np.ones(len(one), np.int8), (one, other)), shape=(count, count))
        groups, group = csgraph.connected_components(links, directed=False)
        clusters = [np.flatnonzero(group == number).tolist() for number in range(groups)]
        out = []
        for cluster in clusters:
            packing = self._packing(cluster)
            out.append((cluster, packing, packing.priced([self.by_chance[at] for at in cluster])))
        return out

    def _add_retilings(self, chosen: list[tuple[Supposed, list[tuple[Supposed, ...]]]]) -> None:
        """Rivals that fill the cells of flush bricks of one colour in another way: no pixel tells them apart."""
        for together in _flush_groups([one for one, _ in chosen]):
            group = sorted(together, key=lambda at: -len(chosen[at][0].shows))  # what shows most knows the grid best
            lead = chosen[group[0]][0]
            alike = [kind for kind in self.kinds if kind.plates == lead.kind.plates and kind.family != "slope"]
            kinds: dict[tuple[int, ...], BrickType] = {tuple(sorted((one.length, one.width))): one for one in alike}
            tiles = tiles_of([Lying(chosen[at][0].corners_m, lead.kind.measures.pitch_m) for at in group])
            if tiles is None:
                continue
            for tiling in other_tilings(tiles, [(kind.length, kind.width) for kind in alike]):
                instead = tuple(_as_tile(lead, tile, kinds) for tile in tiling if tile not in tiles)
                for at, tile in zip(group, tiles, strict=True):
                    if tile not in tiling and not chosen[at][1]:
                        chosen[at][1].append(instead)

    def _add_disputes(
        self, chosen: list[tuple[Supposed, list[tuple[Supposed, ...]]]], others: Sequence[Supposed]
    ) -> None:
        """Rivals of those that another packing does without: what it has in their room."""
        for one, rivals in chosen:
            if rivals or any(same_place(one, other, 0.4, 12.0) for other in others):
                continue
            clash = [two for two in others if conflicts([one, two], self.kinds)]
            if clash:
                rivals.append(tuple(clash))

    def _packing(self, cluster: list[int]) -> Packing:
        number = np.full(len(self.those), -1)
        number[cluster] = np.arange(len(cluster))
        apart = number[self.apart]
        return Packing(
            [self.explained[at] for at in cluster], [self.costs[at] for at in cluster], apart[(apart >= 0).all(axis=1)]
        )

    def _packed(
        self, cluster: list[int], packing: Packing, shown: Packing
    ) -> list[tuple[Supposed, list[tuple[Supposed, ...]]]]:
        """The best packing of a cluster, each brick with the rival packings that do without it.

        Of packings that show nearly as much the one with the fewest bricks is chosen, but that is no reason to tell
        it: rivals are those that nearly win where a brick more costs only what it explains by chance, and then they are
        compared by the picture alone.
        """
        members = [self.those[at] for at in cluster]
        chosen, _ = packing.best()
        told, most = shown.best()
        chances = np.array([self.chances[at] for at in cluster])
        several = _MORE_BRICKS * float(chances.max(initial=0.0))
        out: list[tuple[Supposed, list[tuple[Supposed, ...]]]] = []
        for at in chosen:
            one = members[at]
            alike = [k for k, other in enumerate(members) if same_place(one, other, 0.4, 12.0)]
            mine = next((k for k in told if k in alike), None)
            margin = self.settings.rival_px + self.settings.rival_share * len(one.shows)
            other: tuple[int, ...] = told
            if mine is not None:
                if shown.least_loss(told, mine, alike) > margin + several:
                    out.append((one, []))
                    continue
                other, worth = shown.best(without=alike, above=most - margin - several - 1e-6)
                more = float(chances[list(other)].sum() - chances[list(told)].sum())
                if most - worth > margin + min(max(more, 0.0), several):
                    other = ()
            instead = tuple(members[k] for k in other if k not in chosen)
            out.append((one, [instead] if instead else []))
        return out

    def _objection(self, one: Supposed, rivals: list[tuple[Supposed, ...]], covariance: Array) -> tuple[str, str]:
        """(why it is refused, what would decide it); empty if it is not."""
        if rivals:
            names = " and ".join(sorted(str(rival.kind) for rival in rivals[0]))
            return (
                f"a {one.kind} here, or {names}: both explain the picture",
                self._decider(one),
            )
        if one.against > self.settings.most_doubted * (one.against + len(one.shows)):
            share = one.against / (one.against + len(one.shows))
            return f"a {one.kind}, but {share:.0%} of its pixels speak against it", self._decider(one)
        if one.dim_share > self.settings.most_dim:
            return f"a {one.kind}, but light and shade hide where it ends", self._decider(one)
        if (hue := _hue(one, self.views)) > _MOST_HUE:
            return (
                f"a {one.kind}, nearest to {' or '.join(self.labels.groups[one.label])}, but with {hue:.0%} of a hue: "
                f"is the picture washed out?",
                "a picture with more colour, or the brick's colour among those to look for",
            )
        if (other := _otherwise(one, self.views)) is not None:
            return (
                f"a {one.kind}, {' or '.join(self.labels.groups[one.label])} if the camera tints as much as it seems "
                f"to, {' or '.join(self.labels.groups[other]) if other >= 0 else 'of no colour that is known'} if not",
                "a picture with less gloss, or by a camera that tints less",
            )
        if self._without_depth(one):
            return f"a {one.kind}, but without depth nothing tells how high it lies", "a view that has depth there"
        if abs(one.off_m) > _OFF_STUD * one.kind.measures.stud_height_m:
            way = "lower" if one.off_m > 0 else "higher"
            return (
                f"a {one.kind}, but its top is seen {1e3 * abs(one.off_m):.1f} mm {way} than it would lie here: "
                f"it may rest on studs or be tilted",
                "a closer view, or taking it away",
            )
        if self._smooth(one):
            return (
                f"the size and colour of a {one.kind}, but no studs are seen on it",
                "taking it away, or a closer view",
            )
        if self._vague(one, covariance):
            reach, yaw = _extent(covariance)
            return (
                f"a {one.kind}, but its place is only known to {reach * 1e3:.1f} mm and {yaw:.1f} degrees: "
                f"too little of its outline is seen",
                self._decider(one),
            )
        return "", ""

    def _without_depth(self, one: Supposed) -> bool:
        """Whether hardly any of the pixels that show it have depth: its colour alone does not tell its layer."""
        depth = np.concatenate([view.depth.ravel() for view in self.views])[one.shows]
        return bool((depth > 0).mean() < _LEAST_DEEP) if len(depth) else True

    def _smooth(self, one: Supposed) -> bool:
        """Whether depth says that it has no studs, though its kind has."""
        share, spread = studs_seen(self.views, one) if one.kind.has_studs else (1.0, 0.0)
        return spread < self.settings.studs_known and share < self.settings.least_studs

    def _vague(self, one: Supposed, covariance: Array) -> bool:
        """Whether its place is not known well enough to be told."""
        reach, yaw = _extent(covariance)
        return reach > self.settings.sure_pitch * one.kind.measures.pitch_m or yaw > self.settings.sure_yaw_deg

    def _fitted(self, one: Supposed) -> tuple[Array, Array]:
        """Its pose and covariance, by its own outline, where that shows; one that leads it astray is a shadow's."""
        lies = aligned(self.views, one.kind, one.T_base_brick, one.label, reaches=_LAST_REACHES, whole=True)
        moved = np.abs(footprint(one.kind, lies.T_base_brick) - one.corners_m).max()
        if moved > _ASTRAY_PX * max(view.pixel_m(one.T_base_brick[:3, 3]) for view in self.views):
            lies = Aligned(one.T_base_brick, np.zeros((6, 6)), 0, 0.0)
        T, own = lies.T_base_brick, self._own_spread(one, lies)
        if one.kind.has_studs and on_its_colour(one, self.views):
            T, own = moved_by_studs(self.views, one.kind, T, own)
        cameras = lies.cameras
        if cameras is None:
            cameras = np.mean([view.calibration_at(*one.middle_m) for view in self.views], axis=0)
        return T, own + cameras

    def _decider(self, one: Supposed) -> str:
        length, width, _ = one.kind.size_m
        along = one.T_base_brick[:2, 0 if length >= width else 1]
        turn = float(np.degrees(np.arctan2(along[1], along[0]))) % 180.0
        x, y = 1e3 * one.middle_m[0], 1e3 * one.middle_m[1]
        if one.hidden > 0.1 * one.total:
            return f"a second view of ({x:.0f}, {y:.0f}) mm from another side, or taking away what stands before it"
        return (
            f"a nudge at ({x:.0f}, {y:.0f}) mm by a stud across {turn:.0f} degrees from the x axis: "
            f"what moves together is one brick"
        )

    def _own_spread(self, one: Supposed, lies: Aligned) -> Array:
        """(3, 3) covariance of x, y (m) of the middle and yaw (rad) by outline and pixels, if cameras were known."""
        # The pixels of a brick that is mostly seen say where it is to a part of a pixel, whatever its edges say.
        wide = max(view.pixel_m(one.T_base_brick[:3, 3]) for view in self.views)
        half = np.hypot(*one.kind.size_m[:2]) / 2
        known, lever = one.kind.measures.pitch_m, one.kind.measures.pitch_m
        if 2 * len(one.shows) > one.total:
            known, lever = _PLACE_PX * wide, half
        own = np.linalg.inv(lies.known() + np.diag([1.0, 1.0, lever**2]) / known**2)
        if on_its_colour(one, self.views):
            lost = min(1.0, one.dim_share / self.settings.most_dim)
            shade = wide**2 * (_SHADE_PX**2 + _PLACE_PX**2 * lost)
            own = own + shade * np.diag([1.0, 1.0, 1 / half**2])
        return np.asarray(own, dtype=float)

    def _brick(self, one: Supposed) -> Brick:
        return Brick(one.kind, self._color(one), _least_turn(one))

    def _color(self, one: Supposed) -> str:
        names = self.labels.groups[one.label]
        if len(names) == 1:
            return names[0]
        bright = _top_brightness(one, self.views)
        return min(names, key=lambda name: abs(np.log(max(bright, 0.02) / (self.light * _value(name)))))

    def _brightness(self, those: Sequence[Supposed]) -> float:
        """How bright white would be, by the tops of bricks whose colour is known; 0.85 where there are none."""
        told = [
            _top_brightness(one, self.views) / _value(self.labels.groups[one.label][0])
            for one in those
            if len(self.labels.groups[one.label]) == 1
        ]
        return float(np.clip(np.median(told), 0.3, 1.4)) if told else 0.85


def _extent(covariance: Array) -> tuple[float, float]:
    """(how far the 95 % ellipse of a place reaches, m; 95 % of the yaw, degrees)."""
    reach = np.sqrt(_CHI2_95 * np.linalg.eigvalsh(covariance[:2, :2]).max())
    return float(reach), float(np.degrees(1.96 * np.sqrt(covariance[2, 2])))


def _doubts(one: Supposed) -> float:
    """In pixels: what speaks against it, and what of its outline is beside the picture's."""
    return 2.0 * one.against + 2.0 * one.misfit


def _flush_groups(those: Sequence[Supposed]) -> list[list[int]]:
    """Numbers of bricks of one colour and height that lie against each other, two or more together."""
    left, groups = list(range(len(those))), []
    while left:
        group = [left.pop(0)]
        for at in group:
            one = those[at]
            for other in list(left):
                two = those[other]
                level = abs(one.bottom_m - two.bottom_m) < 2e-3 and one.kind.plates == two.kind.plates
                slack = -0.2 * one.kind.measures.pitch_m
                if one.label == two.label and level and footprints_overlap(one.corners_m, two.corners_m, slack):
                    left.remove(other)
                    group.append(other)
        if len(group) > 1:
            groups.append(group)
    return groups


def _as_tile(lead: Supposed, tile: Tile, kinds: dict[tuple[int, ...], BrickType]) -> Supposed:
    """A brick that fills cells on the grid of another; nobody has drawn it."""
    x, y, along, across = tile
    kind = kinds[tuple(sorted((along, across)))]
    pitch = kind.measures.pitch_m
    way = lead.corners_m[1] - lead.corners_m[0]
    yaw = float(np.arctan2(way[1], way[0]))
    c, s = np.cos(yaw), np.sin(yaw)
    a, b = (x + along / 2) * pitch, (y + across / 2) * pitch
    middle = lead.corners_m[0] + np.array([c * a - s * b, s * a + c * b])
    turn = 0.0 if (kind.length, kind.width) == (along, across) else np.pi / 2
    T = placed(kind, float(middle[0]), float(middle[1]), lead.bottom_m, yaw + turn)
    return replace(lead, kind=kind, T_base_brick=T)


def _value(name: str) -> float:
    from falsework.model.perception.palette import reflectance

    return max(reflectance(name))


def _hue(one: Supposed, views: Sequence[View]) -> float:
    """How far the mean chroma of a brick without hue is from white's, by the first view that shows it; 0 of others."""
    view, chroma = _chroma(one, views)
    return float(np.hypot(*(chroma - view.white))) if one.label == view.hueless else 0.0


def _otherwise(one: Supposed, views: Sequence[View]) -> int | None:
    """The label that it would have if the camera were balanced, where that is in doubt; None if its own."""
    view, chroma = _chroma(one, views)
    other = one.label if view.otherwise is None else int(view.otherwise.label(chroma[None])[0])
    return None if other == one.label else other


def _chroma(one: Supposed, views: Sequence[View]) -> tuple[View, Array]:
    """The first view that shows a brick, and (2,) the mean chroma that it has there."""
    start = 0
    for view in views:
        own = one.shows[(one.shows >= start) & (one.shows < start + view.depth.size)] - start
        start += view.depth.size
        if len(own):
            break
    return view, np.asarray(chroma_of(view.rgb.reshape(-1, 3)[own].mean(axis=0)), dtype=float)


def _top_brightness(one: Supposed, views: Sequence[View]) -> float:
    """Of the pixels that show it: the brightest channel, 0 to 1, in the upper half of them."""
    first = one.shows[one.shows < views[0].depth.size]
    if not len(first):
        return 0.5
    bright = views[0].rgb.reshape(-1, 3)[first].max(axis=1)
    return float(np.quantile(bright, 0.6)) / 255.0


def _least_turn(one: Supposed) -> Array:
    """(4, 4) the same look with the least yaw: −90° to 90°, of squares −45° to 45°."""
    if one.kind.family == "slope":
        return one.T_base_brick
    every = np.pi / 2 if one.kind.length == one.kind.width else np.pi
    return placed(one.kind, *one.middle_m, one.bottom_m, float(one.yaw - every * np.round(one.yaw / every)))
