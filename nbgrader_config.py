"""nbgrader's settings for this course: `nbgrader` and `grader` read the same file."""

import os
from pathlib import Path

c = get_config()  # noqa: F821 - provided by the loader

ROOT = Path(__file__).resolve().parent
# The class's folder; `grader` reads the same variable.
CLASSROOM = os.path.abspath(os.environ["MINIGRAD_CLASSROOM"]) if os.environ.get("MINIGRAD_CLASSROOM") else "classroom"

c.CourseDirectory.root = str(ROOT)
c.CourseDirectory.course_id = "minigrad"
c.CourseDirectory.source_directory = "solutions"
c.CourseDirectory.release_directory = "notebooks"
c.CourseDirectory.submitted_directory = f"{CLASSROOM}/submitted"
c.CourseDirectory.autograded_directory = f"{CLASSROOM}/autograded"
c.CourseDirectory.feedback_directory = f"{CLASSROOM}/feedback"
c.CourseDirectory.solution_directory = f"{CLASSROOM}/solution"
# Any URL of SQLAlchemy's; `grader` reads the same variable.
c.CourseDirectory.db_url = os.environ.get("MINIGRAD_DB") or f"sqlite:///{ROOT / CLASSROOM / 'gradebook.db'}"
# Every other file of a source folder is copied to the release: the scripts hold the solutions.
c.CourseDirectory.ignore = ["*.py", "my_minigrad", ".ipynb_checkpoints", "*.pyc", "__pycache__", "feedback"]

# An untouched stub: `check` and the graded cells put "Not done yet" in front of its message.
STUB = '# YOUR CODE HERE\nraise NotImplementedError("put your code in place of this line.")'
c.ClearSolutions.code_stub = {"python": STUB}

# One look at a notebook's schema when all preprocessors have run, in place of one after each.
c.Exporter.optimistic_validation = True

# `nbgrader collect`, and formgrader's button: what students wrote into the exchange is looked at first.
c.ExchangeFactory.collect = "grader.classroom.exchange.Collect"

# A submission is read whatever it is, restored, and judged outside its own process.
c.Autograde.exporter_class = "grader.classroom.nbgrader_plugin.SubmissionExporter"
# Restoring leaves of a submission only its own cells' source: nothing to clear, overwrite, deduplicate or check.
c.Autograde.sanitize_preprocessors = ["grader.classroom.nbgrader_plugin.Restore"]
c.Autograde.autograde_preprocessors = [
    "grader.classroom.nbgrader_plugin.Judge",
    "nbgrader.preprocessors.LimitOutput",
    "nbgrader.preprocessors.SaveAutoGrades",
    "nbgrader.preprocessors.AssignLatePenalties",
]
# What lateness costs: `[late]` in the class's course.toml.
c.AssignLatePenalties.plugin_class = "grader.classroom.late.LatePenalty"
c.LatePenalty.classroom = str(ROOT / CLASSROOM)
c.GenerateFeedback.preprocessors = [
    "nbgrader.preprocessors.GetGrades",
    "grader.about.feedback.Explain",
]
c.GenerateFeedback.exporter_class = "grader.about.feedback.FeedbackExporter"
# A submission in formgrader: formulas without the network, a style, and nothing that only nbgrader reads.
c.HTMLExporter.preprocessors = ["grader.classroom.formgrader.Tidy"]
# What a student wrote is shown in formgrader within bounds of time; nbconvert's own filters have none.
FILTERS = ("highlight_code", "ansi2html", "strip_files_prefix")
c.HTMLExporter.filters = {name: f"grader.about.in_time.{name}" for name in FILTERS}
c.Judge.classroom = str(ROOT / CLASSROOM)
c.ExerciseExport.classroom = str(ROOT / CLASSROOM)
c.CanvasExport.classroom = c.MoodleExport.classroom = str(ROOT / CLASSROOM)
