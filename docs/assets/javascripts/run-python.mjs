/**
 * The Python half of the worker. Evaluates to a function `run(source, filename)` that runs one cell in
 * `__main__` and returns JSON: {"error"} with a traceback, or {"text", "svg"} of the last expression
 * (each null when there is none).
 */
export const RUNNER_FILE = "<runner>";

export const RUNNER = `
import __main__, ast, json, linecache, sys, traceback

namespace = __main__.__dict__
hidden = {"${RUNNER_FILE}", ast.__file__}
sys.stdout.reconfigure(line_buffering=True)


def run(source, filename):
    # Tracebacks and warnings quote source lines from here; no modification time means "never stale".
    linecache.cache[filename] = (len(source), None, source.splitlines(keepends=True), filename)
    try:
        tree = ast.parse(source, filename)
        last = None
        if tree.body and isinstance(tree.body[-1], ast.Expr):
            last = ast.Expression(tree.body.pop().value)
        exec(compile(tree, filename, "exec"), namespace)
        value = eval(compile(last, filename, "eval"), namespace) if last else None
        result = {"text": None, "svg": None}
        if value is not None:
            draw = getattr(type(value), "_repr_svg_", None)
            result["svg"] = draw(value) if draw else None
            result["text"] = repr(value)
    except BaseException as error:
        # Only the reader's frames: the first ones are ours, or the compiler's.
        frames = error.__traceback__
        while frames and frames.tb_frame.f_code.co_filename in hidden:
            frames = frames.tb_next
        result = {"error": "".join(traceback.format_exception(type(error), error, frames))}
    for stream in sys.stdout, sys.stderr:
        stream.flush()
    return json.dumps(result)


run
`;
