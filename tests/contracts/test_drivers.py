"""Every driver: it goes where its track ends, refuses what it cannot, grips, and presses until it feels the force."""

import threading

import numpy as np
import pytest

from falsework import new_cell
from falsework.model.errors import BadInput
from falsework.model.ports import Driver
from falsework.model.robots.motion import Track
from falsework.robots import Kinematics
from falsework.robots.drivers.simulated import SimulatedDriver
from falsework.robots.drivers.universal import UniversalDriver

FLOOR_M, STIFFNESS = 0.2, 2000.0


class FakeRtde:
    """What ur_rtde's two interfaces do, for an arm over a springy floor."""

    def __init__(self, placed):
        self.placed, self.kinematics = placed, Kinematics(placed.arm, placed.tool)
        self.q, self.time = np.array(placed.home), 0.0

    def getActualQ(self):
        return self.q.tolist()

    def getTimestamp(self):
        return self.time

    def getActualTCPPose(self):
        from scipy.spatial.transform import Rotation

        T = self.kinematics.forward(self.q)
        return [*T[:3, 3], *Rotation.from_matrix(T[:3, :3]).as_rotvec()]

    def getActualTCPForce(self):
        push = max(0.0, STIFFNESS * (FLOOR_M - (self.placed.T_world_base @ self.kinematics.forward(self.q))[2, 3]))
        return [*(-push * self.kinematics.forward(self.q)[:3, 2]), 0.0, 0.0, 0.0]

    def initPeriod(self):
        return self.time

    def waitPeriod(self, begun):
        self.time = begun + 0.002

    def servoJ(self, q, speed, acceleration, period, lookahead, gain):
        self.q = np.array(q)

    def servoStop(self, acceleration=10.0):
        pass

    def zeroFtSensor(self):
        pass

    def speedL(self, velocity, acceleration, period):
        T = self.kinematics.forward(self.q)
        T[:3, 3] += np.array(velocity[:3]) * period
        self.q = self.kinematics.solve(T, self.q)

    def speedStop(self, acceleration):
        pass

    def stopScript(self):
        pass


@pytest.fixture(params=["simulated", "ur_rtde"])
def driver(request) -> Driver:
    placed = new_cell("ur5e").arms[0]
    if request.param == "simulated":
        return SimulatedDriver(placed, width_m=0.03, floor_m=FLOOR_M, stiffness=STIFFNESS)
    fake = FakeRtde(placed)
    return UniversalDriver(placed, "", lambda opening, force: max(opening, 0.03), fake, fake)


def way_to(driver: Driver, q: np.ndarray, seconds: float = 1.0) -> Track:
    still = np.zeros((2, len(q)))
    return Track("arm", [0.0, seconds], [driver.state().q, q], still, still)


def above_the_floor(height: float) -> np.ndarray:
    """Joints with the tool straight down, so high above the floor."""
    placed = new_cell("ur5e").arms[0]
    T = np.diag([1.0, -1.0, -1.0, 1.0])
    T[:3, 3] = 0.45, 0.1, FLOOR_M + height
    base = placed.T_world_base.copy()
    base[:3, 3] = 0.0, 0.0, base[2, 3]
    q = Kinematics(placed.arm, placed.tool).solve(T, placed.home)
    assert q is not None
    return q


def test_it_goes_where_its_track_ends(driver):
    before = driver.state()
    q = before.q + 0.2
    driver.move(way_to(driver, q, 2.0))
    after = driver.state()
    assert np.abs(after.q - q).max() < 1e-6
    assert after.time_s - before.time_s == pytest.approx(2.0, abs=0.01)


def test_it_refuses_a_track_that_begins_elsewhere_or_ends_beyond_its_limits(driver):
    q = driver.state().q
    still = np.zeros((2, len(q)))
    with pytest.raises(BadInput, match="from where its track begins"):
        driver.move(Track("arm", [0.0, 1.0], [q + 0.5, q], still, still))
    with pytest.raises(BadInput, match="expected"):
        driver.move(way_to(driver, q + 100.0))
    with pytest.raises(BadInput, match="joints"):
        driver.move(Track("arm", [0.0, 1.0], np.zeros((2, 3)), np.zeros((2, 3)), np.zeros((2, 3))))
    assert np.array_equal(driver.state().q, q), "and stays where it is"


def test_fingers_close_until_they_meet_the_part(driver):
    assert driver.grip(0.0, 30.0) == pytest.approx(0.03)
    assert driver.state().opening_m == pytest.approx(0.03)
    with pytest.raises(BadInput, match="opening"):
        driver.grip(1.0, 30.0)
    with pytest.raises(BadInput, match="force"):
        driver.grip(0.0, 1e6)


def test_it_presses_until_the_force_and_no_further(driver):
    driver.move(way_to(driver, above_the_floor(0.002)))
    pressed = driver.press_until(4.0, 20.0, 0.02, 0.01)
    assert pressed.end == "pressed"
    assert 4.0 <= pressed.force_n < 5.0
    assert pressed.moved_m == pytest.approx(0.004, abs=3e-4)


def test_a_press_in_the_air_ends_and_one_that_feels_too_much_stops(driver):
    driver.move(way_to(driver, above_the_floor(0.02)))
    assert driver.press_until(4.0, 20.0, 0.005, 0.01).end == "nothing"
    driver.move(way_to(driver, above_the_floor(-0.02)))
    assert driver.press_until(4.0, 20.0, 0.005, 0.01).end == "stopped"
    with pytest.raises(BadInput, match="expected rising forces"):
        driver.press_until(20.0, 4.0, 0.005, 0.01)


def test_a_stop_is_heard_from_any_thread_and_leaves_the_arm_where_it_is(driver):
    q = driver.state().q
    thread = threading.Thread(target=driver.stop)
    thread.start()
    thread.join(5)
    assert not thread.is_alive()
    assert np.array_equal(driver.state().q, q)


def test_an_arm_of_universal_robots_that_was_stopped_moves_no_more():
    placed = new_cell("ur5e").arms[0]
    fake = FakeRtde(placed)
    driver = UniversalDriver(placed, "", lambda opening, force: opening, fake, fake)
    driver.stop()
    q = driver.state().q
    with pytest.raises(BadInput, match="the arm was stopped; connect anew"):
        driver.move(way_to(driver, q + 0.2))
    with pytest.raises(BadInput, match="the arm was stopped; connect anew"):
        driver.press_until(4.0, 20.0, 0.02, 0.01)
    assert np.array_equal(driver.state().q, q)
