"""The workshop puts the learner's definitions into the running engine, and keeps what is right."""

import subprocess
import sys
import textwrap

import numpy as np
import pytest

import minigrad
from minigrad import workshop
from minigrad.core.function import Function
from minigrad.nn.layers import InOut
from minigrad.workshop import places, shelf

CELL = '''
class Mul(Function):
    """The learner's own."""

    def forward(self, x, y):
        return x * y

    def backward_x(self, grad, y):
        return grad * y

    def backward_y(self, grad, x):
        return grad * x
'''
LINEAR = """
class Linear(InOut):
    def __init__(self, in_features, out_features):
        super().__init__(in_features, out_features)
        self.weight = Parameter(fan_in_uniform_(empty(out_features, in_features), in_features))
"""
HELPED = CELL.replace("return grad * y", "return scale(grad, y)")


@pytest.fixture
def bench(monkeypatch, tmp_path):
    """An open workshop, closed afterwards; my_minigrad is in a temporary folder."""
    monkeypatch.setenv("MY_MINIGRAD", str(tmp_path / "my_minigrad"))
    own = workshop.own_parts(99)
    yield workshop
    workshop.places.clear(99)
    assert all(workshop.places.current(part) is own[part.name] for part in workshop.PARTS if part.exists_in(99))


def cell(text, name="Mul"):
    """Run a cell's text as IPython does: its source is in linecache."""
    import linecache

    file = f"<cell {hash(text)}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    names = {"Function": Function, "InOut": InOut, "np": np}
    exec(compile(text, file, "exec"), names)
    return names[name]


def test_before_its_chapter_a_part_says_where_it_is_built(bench, capsys):
    bench.open(1)
    x = minigrad.tensor(2.0, requires_grad=True)
    with pytest.raises(
        workshop.NotBuiltYet, match=r"^Mul is built in chapter 1, here: run the cell that defines it\.$"
    ):
        x * x
    with pytest.raises(workshop.NotBuiltYet, match=r"^unbroadcast is built in chapter 2\.$"):
        minigrad.core.unbroadcast.unbroadcast(x, ())
    assert "You build: Add, Mul, Neg, Sub, Pow, backpropagate." in capsys.readouterr().out


def test_the_learners_rule_is_what_runs(bench):
    """Replace a rule by a wrong one, and the polynomial's gradient changes."""

    def slope():
        x = minigrad.tensor(2.0, requires_grad=True)
        (2 * x**4 + x**3 + 3 * x**2 + 5 * x + 1).backward()
        return x.grad.item()

    assert slope() == 93.0
    wrong = cell(CELL.replace("return grad * y", "return grad * y * 10"))
    with bench.using(Mul=wrong):
        assert slope() == 10 * 93.0 - 9 * 12.0, "2·x⁴, 3·x² and 5·x go through Mul, x³ does not"
    assert slope() == 93.0


def test_using_puts_back_what_was_there_even_after_an_error(bench):
    before = workshop.places.current(workshop.places.find("Mul"))
    with pytest.raises(ZeroDivisionError), bench.using(Mul=cell(CELL)):
        raise ZeroDivisionError
    assert workshop.places.current(workshop.places.find("Mul")) is before


def test_an_unknown_part_is_named(bench):
    def muul():
        pass

    bench.open(1)
    with pytest.raises(ValueError, match="muul is no part that this chapter builds; it builds Add, Mul") as caught:
        bench.part(muul)
    assert caught.value._render_traceback_() == [f"NoSuchPart: {caught.value}"], "without a traceback"
    with pytest.raises(ValueError, match="The course has no chapter 77; its chapters are 0 to"):
        bench.open(77)


def test_a_kept_part_is_carried_to_the_next_chapter(bench, capsys):
    bench.open(1)
    bench.part(cell(CELL))
    assert bench.keep("Mul") == "Mul is kept in my_minigrad/."
    bench.open(2)
    out = capsys.readouterr().out
    assert "Yours, from my_minigrad: Mul." in out
    assert "Lent by minigrad until your own passes its check: Add, Neg, Sub, Pow, backpropagate." in out
    assert workshop.places.current(workshop.places.find("Mul")).__doc__ == "The learner's own."
    x = minigrad.tensor(3.0, requires_grad=True)
    (x * x).backward()
    assert x.grad.item() == 6.0


def test_my_minigrad_is_a_package_that_grows(bench, tmp_path):
    bench.open(1)
    bench.part(cell(CELL))
    bench.keep("Mul")
    text = (tmp_path / "my_minigrad" / "rules" / "arithmetic.py").read_text()
    assert "The learner's own." in text and 'Add = later("Add", 1, here=False)' in text


def test_a_part_that_leans_on_another_cell_is_not_kept_and_says_why(bench):
    bench.open(1)
    bench.part(cell(HELPED))
    assert bench.keep("Mul").startswith(
        "Mul is right, but not kept for the next chapter: it uses scale from outside; define or import it inside Mul"
    )
    assert shelf.kept(workshop.places.find("Mul")) is None


def test_a_layer_may_call_the_learners_own_starting_values(bench):
    bench.open(8)
    bench.part(cell(LINEAR, "Linear"))
    assert bench.keep("Linear") == "Linear is kept in my_minigrad/."


def test_a_part_may_use_numpy_as_the_notebooks_do(bench, tmp_path):
    bench.open(1)
    bench.part(cell(CELL.replace("return x * y", "return np.multiply(x, y)")))
    assert bench.keep("Mul") == "Mul is kept in my_minigrad/."
    text = (tmp_path / "my_minigrad" / "rules" / "arithmetic.py").read_text()
    assert text.count("import numpy as np") == 1 and text.index("import numpy") < text.index("class ")
    bench.open(2)
    x = minigrad.tensor(3.0, requires_grad=True)
    (x * x).backward()
    assert x.grad.item() == 6.0


def test_what_was_kept_before_minigrad_had_rooms_is_carried_over(bench, capsys):
    bench.open(1)
    bench.part(cell(CELL))
    bench.keep("Mul")
    file = shelf.folder() / "rules" / "arithmetic.py"
    (shelf.folder() / "ops").mkdir()
    file.rename(shelf.folder() / "ops" / "arithmetic.py")
    bench.open(2)
    assert "Yours, from my_minigrad: Mul." in capsys.readouterr().out


def test_a_mark_before_the_text_is_no_damage(bench, capsys):
    bench.open(1)
    bench.part(cell(CELL))
    bench.keep("Mul")
    file = shelf.folder() / "rules" / "arithmetic.py"
    file.write_bytes(b"\xef\xbb\xbf" + file.read_bytes())
    bench.open(2)
    out = capsys.readouterr().out
    assert "Yours, from my_minigrad: Mul." in out and "cannot be read" not in out
    bench.open(1)
    bench.part(cell(CELL))
    bench.keep("Mul")
    assert not file.read_bytes().startswith(b"\xef\xbb\xbf")


def test_a_damaged_my_minigrad_is_reported_and_left_alone(bench, capsys):
    bench.open(1)
    bench.part(cell(CELL))
    bench.keep("Mul")
    file = shelf.folder() / "rules" / "arithmetic.py"
    file.write_text("def broken(:\n")
    bench.open(2)
    out = capsys.readouterr().out
    assert out.count("my_minigrad/rules/arithmetic.py cannot be read (line 1") == 1
    assert "minigrad lends Add, Mul, Neg, Sub, Pow instead; nothing was changed there." in out
    bench.open(1)
    bench.part(cell(CELL))
    assert "Mul is right, but not kept for the next chapter: my_minigrad/rules/arithmetic.py" in bench.keep("Mul")
    assert file.read_text() == "def broken(:\n"


def test_a_kept_part_that_stops_says_where_it_is_to_be_mended(bench, capsys):
    bench.open(1)
    bench.part(cell(CELL))
    bench.keep("Mul")
    file = shelf.folder() / "rules" / "arithmetic.py"
    file.write_text(file.read_text().replace("class Mul(Function)", "class Mul(Funktion)"))
    bench.open(2)
    out = capsys.readouterr().out
    reason = (
        "Mul in my_minigrad/rules/arithmetic.py stops with NameError (name 'Funktion' is not defined): mend it there."
    )
    assert f"{reason} Until then minigrad lends Mul instead" in out


def test_a_write_that_fails_leaves_nothing_beside_the_file(bench, monkeypatch):
    bench.open(1)
    bench.part(cell(CELL))
    bench.keep("Mul")
    bench.part(cell(CELL.replace("return grad * y", "return y * grad")))

    def full(self, target):
        raise OSError(28, "No space left on device")

    before = sorted(shelf.folder().rglob("*"))
    monkeypatch.setattr("pathlib.Path.replace", full)
    assert "cannot be written (No space left on device)" in bench.keep("Mul")
    assert sorted(shelf.folder().rglob("*")) == before and "return grad * y" in shelf.kept(workshop.places.find("Mul"))


def test_nothing_is_an_instance_of_a_class_that_is_not_there(bench):
    bench.open(8)
    with pytest.raises(workshop.NotWrittenYet, match=r"^Parameter is built in chapter 8, here"):
        isinstance(1, minigrad.nn.Parameter)


def test_a_special_method_can_be_a_part(bench):
    bench.open(8)
    with pytest.raises(workshop.NotWrittenYet, match=r"^__setattr__ is built in chapter 8, here"):
        minigrad.nn.ReLU().x = 1
    text = "def __setattr__(self, name, value):\n    self.__dict__[name] = 2 * value\n"
    bench.part(cell(text, "__setattr__"))
    layer = minigrad.nn.ReLU()
    layer.x = 1
    assert layer.x == 2 and bench.keep("__setattr__") == "__setattr__ is kept in my_minigrad/."
    bench.open(8)
    assert "self.__dict__[name] = 2 * value" in shelf.kept(workshop.places.find("__setattr__"))


def test_chapter_0_opens_an_engine_without_any_part(bench, capsys):
    bench.open(0)
    assert (
        capsys.readouterr().out == "minigrad as it stands before chapter 0. You build no part of it in this chapter.\n"
    )
    with pytest.raises(workshop.NotBuiltYet, match=r"^Add is built in chapter 1\.$"):
        minigrad.tensor(2.0) + 1


def test_the_summary_counts_what_is_kept(bench, capsys):
    bench.open(1)
    bench.part(cell(CELL))
    bench.keep("Mul")
    capsys.readouterr()
    bench.summary()
    lines = capsys.readouterr().out.splitlines()
    final = sum(not part.until for part in workshop.PARTS)
    assert "Mul              8 lines in rules/arithmetic.py" in lines
    assert "Add              not there yet: it is kept when its check says that it is right" in lines
    assert lines[-1] == f"my_minigrad/ holds 1 of the {final} parts that you build in this course."


def test_minigrad_works_without_the_workshop():
    program = """
        import sys, minigrad as torch
        x = torch.tensor(2.0, requires_grad=True)
        y = 2*x**4 + x**3 + 3*x**2 + 5*x + 1
        y.backward()
        print(y, x.grad, "minigrad.workshop" in sys.modules)
    """
    run = subprocess.run([sys.executable, "-c", textwrap.dedent(program)], capture_output=True, text=True)
    assert run.stdout.strip() == "tensor(63., grad_fn=<AddBackward0>) tensor(93.) False", run.stderr


SAVED = """
def saved_tensors(self):
    self.read = True
    return self.saved
"""


def test_what_is_a_property_in_minigrad_stays_one(bench, tmp_path):
    part = workshop.places.find("saved_tensors")
    bench.open(6)
    x = minigrad.tensor(3.0, requires_grad=True)
    y = x * x
    with pytest.raises(workshop.NotWrittenYet, match="saved_tensors is built in chapter 6, here"):
        y.backward()
    mine = bench.part(cell(SAVED, "saved_tensors"))
    assert workshop.places.stands(part, mine)
    y.backward()
    assert y.grad_fn.read and x.grad.item() == 6.0
    assert bench.keep("saved_tensors") == "saved_tensors is kept in my_minigrad/."
    text = (tmp_path / "my_minigrad" / "core/function.py").read_text()
    assert "    @property\n    def saved_tensors(self):\n        self.read = True\n" in text
    workshop.places.install(part, shelf.load(part))
    assert not workshop.places.stands(part, mine), "it was made anew from the file"
    y = x * x
    y.backward()
    assert y.grad_fn.read


def test_a_part_above_a_property_is_told_to_leave_property_away(bench):
    with pytest.raises(workshop.NoSuchPart, match="Leave @property away: @workshop.part alone goes above the function"):
        bench.part(property(lambda self: 1))


def test_blocks_run_on_the_learners_mode_wherever_no_grad_was_imported(bench):
    class GradMode:
        def __init__(self, mode):
            self.mode = mode

        def __enter__(self):
            entered.append(self.mode)

        def __exit__(self, *error):
            pass

    entered = []
    with bench.using(GradMode=GradMode):
        with minigrad.no_grad(), minigrad.autograd.enable_grad():
            pass
        minigrad.nn.init.zeros_(minigrad.ones(2))
    assert entered == [False, True, False]


def test_an_engine_that_stands_is_not_put_together_again(monkeypatch):
    installed = []
    with workshop.using(**workshop.own_parts(1)):
        monkeypatch.setattr(places, "install", lambda part, _: installed.append(part.name))
        with workshop.using(**workshop.own_parts(1)):
            assert not installed
        monkeypatch.undo()
