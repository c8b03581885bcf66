// Runs the library of the hardened realm. A frame can fetch nothing, so the library is a part of the
// thread's text: the bundler puts it there and replaces this module.

export function loadLibrary(): void {
  throw new Error('this thread was not bundled: it has no library of the hardened realm');
}
