"""Calling a compiled function by its address: it is compiled once, not into each of its callers.

numba compiles what a kernel calls into the kernel, again for each kernel. That makes loops fast,
but a rule that ten kernels ask about would be compiled ten times, with all the rules that a plan
does not mention. A kernel that gets the address of a rule among its numbers is compiled without.

Where kernels are not compiled at all (`NUMBA_DISABLE_JIT`), an address is a place in a list.
"""

from __future__ import annotations

from types import FunctionType
from typing import TYPE_CHECKING, Any

import numba  # all of it before a part: another thread may be at it
from numba.core import cgutils, config
from numba.extending import intrinsic

from indistinct.kernels.compiled import inner, njit

if TYPE_CHECKING:
    from collections.abc import Callable

PACKAGE = __name__.partition(".")[0]

_addresses: dict[tuple[Callable[..., Any], Any], int] = {}
_kernels: list[Any] = [None]  # also keeps them alive: an address must not outlive its function
_parts: dict[Callable[..., Any], Any] = {}


def signature_of(returned: Any, *arguments: Any, by: Callable[[Any], Any] | None = None) -> Any:
    """Return the signature of functions that take and return values like these.

    The arguments are handed over as they are, or `by` a kind of pointer to them.
    """
    kinds = map(numba.typeof, arguments)
    return numba.typeof(returned)(*(map(by, kinds) if by else kinds))


def address_of(function: Callable[..., Any], signature: Any) -> int:
    """Compile a plain function of this package for a signature; return where it is.

    The plain functions of this package that it calls are compiled with it.
    """
    key = (function, signature)
    if key not in _addresses:
        _addresses[key] = _placed(function, signature)
    return _addresses[key]


def _placed(function: Callable[..., Any], signature: Any) -> int:
    if config.DISABLE_JIT:
        _kernels.append(function)
        return len(_kernels) - 1
    kernel = njit(signature)(_with_compiled_parts(function))
    _kernels.append(kernel)
    [result] = kernel.overloads.values()
    address: int = result.library.get_pointer_to_function(result.fndesc.llvm_func_name)
    return address


def _with_compiled_parts(function: Callable[..., Any]) -> Callable[..., Any]:
    """Copy a function; the copy calls compiled forms of the package's functions it names."""
    names = function.__globals__
    parts = {
        name: _compiled_part(names[name])
        for name in function.__code__.co_names
        if isinstance(names.get(name), FunctionType)
        and names[name].__module__.partition(".")[0] == PACKAGE
    }
    copy = FunctionType(function.__code__, names | parts, function.__name__)
    copy.__module__, copy.__qualname__ = function.__module__, function.__qualname__
    copy.__doc__ = function.__doc__
    return copy


def _compiled_part(function: Callable[..., Any]) -> Any:
    if function not in _parts:
        _parts[function] = inner(_with_compiled_parts(function))
    return _parts[function]


def caller(signature: Any) -> Any:
    """Return what calls, in kernels, the function at an address with a tuple of arguments."""
    if config.DISABLE_JIT:
        return _call_placed
    arguments, returned = signature.args, signature.return_type

    @intrinsic  # type: ignore[untyped-decorator]
    def call_at(_context: Any, address: Any, given: Any) -> Any:
        """Call the function at an address."""

        def generate(context: Any, builder: Any, _signature: Any, values: Any) -> Any:
            convention = context.call_conv
            kind = convention.get_function_type(returned, arguments)
            place = builder.inttoptr(values[0], kind.as_pointer())
            parts = cgutils.unpack_tuple(builder, values[1], len(arguments))
            status, result = convention.call_function(builder, place, returned, arguments, parts)
            with cgutils.if_unlikely(builder, status.is_error):
                convention.return_status_propagate(builder, status)
            return result

        if tuple(given) != arguments:
            raise numba.TypingError(f"{given} are not {arguments}")
        return returned(address, given), generate

    return call_at


def _call_placed(address: int, arguments: tuple[Any, ...]) -> Any:
    function = _kernels[address]
    if function is None:
        raise ValueError("there is no function at address 0")
    return function(*arguments)
