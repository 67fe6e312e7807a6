"""Puts the training tools and the reference networks on the path."""
import os
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path[:0] = [os.path.join(ROOT, "tools", "training"), os.path.join(ROOT, "tests", "engine", "reference")]
