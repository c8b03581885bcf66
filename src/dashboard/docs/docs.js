// @ts-check
// Runs on `/docs` before its page begins: it shows the document under its own address, and is dark where
// the reader's system is.

const bundle = /** @type {any} */ (globalThis).SwaggerUIBundle;

/** @param {object} settings of the page; the address among them is a second one of the same document */
const withDocument = (settings) => bundle({ ...settings, url: '/openapi.json' });
Object.assign(globalThis, { SwaggerUIBundle: Object.assign(withDocument, bundle) });

const dark = matchMedia('(prefers-color-scheme: dark)');
const follow = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', follow);
follow();
