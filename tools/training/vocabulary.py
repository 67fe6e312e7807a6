"""Words to numbers, as the engine does it: lower case, runs of the letters a-z, unknown words are <unk>, 16 numbers."""
import re

from settings import TOKENS

PAD, UNKNOWN, SIZE = 0, 1, 256  # the table keeps spare rows, so that a later vocabulary fits the same weights

WORDS = """<pad> <unk>
the a an its my this that and while as with in to of on at from for by is are all whole it
camera view picture photo photograph image scene everything frame
pan pans panning slide slides sliding track tracks tracking
move moves moving shift shifts shifting go goes
left right up down upward upwards downward downwards leftward leftwards rightward rightwards
zoom zooms zooming push pushes pushing pull pulls pulling dolly closer nearer forward forwards back backward backwards away out
rotate rotates rotating turn turns turning spin spins spinning roll rolls tilt tilts clockwise counterclockwise anticlockwise
sway sways swaying swing swings swinging bend bends bending lean leans rock rocks rocking wind breeze
wave waves waving ripple ripples rippling undulate undulates undulating
sideways side horizontally vertically horizontal vertical
pulse pulses pulsing beat beats beating breathe breathes breathing throb throbs
drift drifts drifting float floats floating flow flows pass passes
alive life make comes come bring animate animates living
grow grows growing shrink shrinks shrinking
slowly slow gently softly quickly quick fast rapidly strongly
water sea lake river ocean pond pool
sky cloud clouds
tree trees plant plants flower flowers leaf leaves branch branches bush bushes reeds stalks poles figures
grass field meadow wheat corn hay
object thing subject boat person man woman cat dog bird animal face head cup ball balloon flag candle lamp car
statue rocket bottle vase toy sign house
""".split()

NUMBERS = {word: i for i, word in enumerate(WORDS)}
assert len(NUMBERS) == len(WORDS) <= SIZE, "a word is listed twice, or the table is full"


def words_of(text):
    return re.findall("[a-z]+", text.lower())


def encode(text):
    """-> TOKENS numbers. Words beyond the sixteenth are dropped."""
    numbers = [NUMBERS.get(word, UNKNOWN) for word in words_of(text)][:TOKENS]
    return numbers + [PAD] * (TOKENS - len(numbers))
