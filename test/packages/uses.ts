// What a program does with each package: imports it and uses what it is known for. The result must be the same
// as in Node, unless a package depends there on what differs (`own` is the result in the sandbox then).

export interface Use {
  /** Imports, if they are more than the package itself under the name `x`. */
  readonly imports?: string;
  /** An expression, or the body of a function that returns. */
  readonly call: string;
  /** The result where tasks run, if Node has another. */
  readonly own?: unknown;
  /** For one that does not run: a part of the sentence that people see, and the reason in our words. */
  readonly fails?: string;
  readonly because?: string;
}

/** By package; the name may go on behind a blank, for several uses of one package. */
export const uses: Readonly<Record<string, Use>> = {
  '@babel/parser': { call: "x.parse('let a = 1').program.body.length" },
  '@faker-js/faker': {
    imports: 'import { faker } from "@faker-js/faker"',
    call: 'faker.seed(1); return faker.number.int(100)',
  },
  '@msgpack/msgpack': {
    imports: 'import * as x from "@msgpack/msgpack"',
    call: 'x.decode(x.encode({ a: [1, "é"] }))',
  },
  '@noble/hashes': {
    imports: 'import { sha256 } from "@noble/hashes/sha2.js"',
    call: 'Array.from(sha256(new Uint8Array(3)))',
  },
  '@turf/turf': {
    imports: 'import { distance, point } from "@turf/turf"',
    call: 'Math.round(distance(point([0, 0]), point([1, 1])))',
  },
  acorn: {
    imports: 'import * as x from "acorn"',
    call: 'x.parse("a + b", { ecmaVersion: 2022 }).body.length',
  },
  ajv: {
    imports: 'import { Ajv as x } from "ajv"',
    call: 'new x().compile({ type: "object", required: ["a"] })({ a: 1 })',
  },
  async: { call: 'return x.map([1, 2], async (n) => n * 2)' },
  axios: { call: 'x.getUri({ url: "http://a/b", params: { c: 1 } })' },
  bcryptjs: { call: 'x.compareSync("a", x.hashSync("a", 4))' },
  'big.js': { call: 'new x("0.1").plus("0.2").toString()' },
  'bignumber.js': { call: 'new x("0.1").times(3).toString()' },
  bluebird: {
    call: 'return x.map([1, 2, 3], (n) => n * n)',
    fails: 'Cannot define property __BluebirdErrorTypes__',
    because: 'adds to the classes of errors, which are fixed',
  },
  'bn.js': { call: 'new x("ffffffffffff", 16).mul(new x(7)).toString()' },
  chance: { call: 'new x(5).integer({ min: 0, max: 100 })' },
  cheerio: { imports: 'import { load } from "cheerio"', call: 'load("<p>hi</p>")("p").text()' },
  'chess.js': {
    imports: 'import { Chess } from "chess.js"',
    call: 'const c = new Chess(); c.move("e4"); return c.fen()',
  },
  compromise: { call: 'x("she walks home").verbs().toPastTense().text()' },
  'cron-parser': {
    imports: 'import { CronExpressionParser as x } from "cron-parser"',
    call: 'x.parse("0 5 * * *", { currentDate: new Date(0), tz: "UTC" }).next().toISOString()',
    fails: "reading 'DateTimeFormat'",
    because: 'needs `Intl`',
  },
  'crypto-js': { call: 'x.SHA256("a").toString()' },
  'crypto-js AES': {
    imports: 'import x from "crypto-js"',
    call: 'x.AES.decrypt(x.AES.encrypt("hi", "key").toString(), "key").toString(x.enc.Utf8)',
  },
  'csv-parse': {
    imports: 'import { parse } from "csv-parse/sync"',
    call: 'parse("a,b\\n1,2", { columns: true })',
  },
  d3: {
    imports: 'import * as x from "d3"',
    call: 'x.scaleLinear([0, 10], [0, 100])(4) + x.format(".2f")(1.234)',
  },
  'd3-array': {
    imports: 'import { mean, bin } from "d3-array"',
    call: '[mean([1, 2, 3]), bin()([1, 2, 3]).length]',
  },
  'd3-force': {
    imports: 'import { forceSimulation, forceManyBody } from "d3-force"',
    call: 'forceSimulation([{}, {}]).force("c", forceManyBody()).stop().tick(10).nodes().length',
  },
  'd3-random': {
    imports: 'import { randomNormal, randomLcg } from "d3-random"',
    call: 'randomNormal.source(randomLcg(0.5))()()',
  },
  'date-fns': {
    imports: 'import { addDays, formatISO } from "date-fns"',
    call: 'formatISO(addDays(new Date(Date.UTC(2020, 0, 31)), 1), { representation: "date" })',
  },
  dayjs: { call: 'x(0).add(3, "day").toISOString()' },
  'decimal.js': { call: 'new x(2).sqrt().toFixed(30)' },
  delaunator: { call: 'Array.from(x.from([[0, 0], [1, 0], [0, 1], [1, 1]]).triangles)' },
  diff: { imports: 'import { diffWords } from "diff"', call: 'diffWords("a b", "a c").length' },
  ejs: {
    call: 'x.render("<%= a %>", { a: 1 })',
    fails: "'with' in strict mode",
    because: 'makes code with `with`, and programs are strict',
  },
  elliptic: { call: 'new x.ec("secp256k1").keyFromPrivate("01").getPublic("hex")' },
  esprima: { call: 'x.parseScript("a").type' },
  eventemitter3: {
    call: 'let n = 0; const e = new x(); e.on("a", () => n++); e.emit("a"); return n',
  },
  express: { call: 'typeof x()', fails: 'is a part of Node', because: 'is a server: needs Node' },
  'fast-levenshtein': { call: 'x.get("kitten", "sitting")' },
  'fast-xml-parser': {
    imports: 'import { XMLParser } from "fast-xml-parser"',
    call: 'new XMLParser().parse("<a><b>1</b></a>")',
  },
  'fft.js': {
    call: 'const f = new x(4); const o = f.createComplexArray(); f.realTransform(o, [1, 0, 1, 0]); return Array.from(o)',
  },
  fflate: {
    imports: 'import { zlibSync, unzlibSync, strToU8, strFromU8 } from "fflate"',
    call: 'strFromU8(unzlibSync(zlibSync(strToU8("hello"))))',
  },
  'fflate gzip': {
    imports: 'import { gzipSync, gunzipSync, strToU8, strFromU8 } from "fflate"',
    call: 'strFromU8(gunzipSync(gzipSync(strToU8("hello"))))',
  },
  'fraction.js': { call: 'new x("1/3").add("1/6").toFraction()' },
  'fuse.js': { call: 'new x(["apple", "pear"]).search("appl")[0].item' },
  graphology: {
    call: 'const g = new x(); g.addNode("a"); g.addNode("b"); g.addEdge("a", "b"); return g.size',
  },
  handlebars: { call: 'x.compile("hi {{a}}")({ a: 1 })' },
  'highlight.js': { call: 'x.highlight("let a", { language: "javascript" }).value' },
  htmlparser2: {
    imports: 'import { parseDocument } from "htmlparser2"',
    call: 'parseDocument("<p>a</p>").children.length',
  },
  immer: {
    imports: 'import { produce } from "immer"',
    call: 'produce({ a: [1] }, (d) => { d.a.push(2) })',
  },
  immutable: {
    imports: 'import { Map } from "immutable"',
    call: 'Map({ a: 1 }).set("b", 2).toJS()',
  },
  ini: { call: 'x.parse("[a]\\nb=1")' },
  joi: { call: 'x.object({ a: x.number() }).validate({ a: "1" }).value', own: { a: 1 } },
  'js-yaml': { imports: 'import * as x from "js-yaml"', call: 'x.load("a: [1, 2]")' },
  jstat: { call: 'x.normal.cdf(1, 0, 1)' },
  jszip: {
    call: 'const z = new x(); z.file("a.txt", "hi", { date: new Date(0) }); const b = await z.generateAsync({ type: "uint8array" }); return (await x.loadAsync(b)).file("a.txt").async("string")',
  },
  lodash: { call: 'x.chunk(x.sortBy([3, 1, 2]), 2)' },
  'lodash template': {
    imports: 'import x from "lodash"',
    call: 'x.template("hi <%= a %>")({ a: 1 })',
    fails: "'with' in strict mode",
    because: 'makes code with `with`, and programs are strict',
  },
  'lodash-es': {
    imports: 'import { chunk, sumBy } from "lodash-es"',
    call: '[chunk([1, 2, 3], 2), sumBy([{ a: 1 }], "a")]',
  },
  long: { call: 'x.fromString("9223372036854775807").subtract(1).toString()' },
  lunr: {
    call: 'x(function () { this.ref("id"); this.field("t"); this.add({ id: 1, t: "hello world" }) }).search("hello").length',
  },
  luxon: {
    imports: 'import { DateTime } from "luxon"',
    call: 'DateTime.fromMillis(0, { zone: "utc" }).plus({ days: 1 }).toISO()',
    fails: "reading 'DateTimeFormat'",
    because: 'needs `Intl`',
  },
  'markdown-it': { call: 'new x().render("# a")' },
  marked: { imports: 'import { marked } from "marked"', call: 'marked.parse("# a")' },
  mathjs: {
    imports: 'import { evaluate } from "mathjs"',
    call: 'evaluate("2 inch to cm").toString()',
  },
  minisearch: {
    call: 'const s = new x({ fields: ["t"] }); s.add({ id: 1, t: "hello" }); return s.search("hello").length',
  },
  'ml-kmeans': {
    imports: 'import { kmeans } from "ml-kmeans"',
    call: 'kmeans([[1], [2], [9]], 2, { seed: 1 }).clusters',
  },
  'ml-matrix': {
    imports: 'import { Matrix, inverse } from "ml-matrix"',
    call: 'inverse(new Matrix([[2, 0], [0, 4]])).to2DArray()',
  },
  'ml-random-forest': {
    imports: 'import { RandomForestRegression as x } from "ml-random-forest"',
    call: 'const f = new x({ seed: 3, maxFeatures: 1.0, nEstimators: 3, treeOptions: undefined, useSampleBagging: false, noOOB: true }); f.train([[1], [2], [3], [4]], [1, 2, 3, 4]); return f.predict([[2]]).length',
  },
  'ml-regression': {
    imports: 'import { SimpleLinearRegression } from "ml-regression"',
    call: 'new SimpleLinearRegression([1, 2, 3], [2, 4, 6]).predict(5)',
  },
  mobx: {
    imports: 'import { observable, autorun } from "mobx"',
    call: 'const o = observable({ a: 1 }); let n = 0; autorun(() => { n += o.a }); o.a = 5; return n',
  },
  moment: { call: 'x.utc(0).add(1, "month").format("YYYY-MM-DD")' },
  ms: { call: 'x("2 days")' },
  mustache: { call: 'x.render("hi {{a}}", { a: 1 })' },
  nanoid: { imports: 'import { nanoid } from "nanoid"', call: 'nanoid().length' },
  'nanoid/non-secure': {
    imports: 'import { nanoid } from "nanoid/non-secure"',
    call: 'nanoid().length',
  },
  ndarray: { call: 'x(new Float64Array(6), [2, 3]).set(1, 1, 4)' },
  'node-forge': { call: 'x.md.sha256.create().update("a").digest().toHex()' },
  numeric: { call: 'x.inv([[2, 0], [0, 4]])' },
  'p-limit': { call: 'const l = x(1); return Promise.all([l(async () => 1), l(async () => 2)])' },
  pako: {
    imports: 'import * as x from "pako"',
    call: 'String.fromCharCode(...x.inflate(x.gzip("hello")))',
  },
  papaparse: { call: 'x.parse("a,b\\n1,2").data' },
  parse5: { imports: 'import { parse } from "parse5"', call: 'parse("<p>a").childNodes.length' },
  preact: { imports: 'import { h } from "preact"', call: 'h("p", { a: 1 }).type' },
  prismjs: { call: 'x.highlight("let a", x.languages.javascript, "javascript")' },
  proj4: { call: 'x("EPSG:3857", [10, 50]).map(Math.round)' },
  protobufjs: {
    call: 'const T = x.parse("syntax = \\"proto3\\"; message A { int32 b = 1; }").root.lookupType("A"); return T.decode(T.encode({ b: 5 }).finish()).b',
  },
  qs: { call: 'x.parse("a[b]=1&a[c]=2")' },
  'query-string': { call: 'x.parse("a=1&b=2")' },
  ramda: {
    imports: 'import { pipe, map, sum } from "ramda"',
    call: 'pipe(map((n) => n * 2), sum)([1, 2])',
  },
  rbush: {
    call: 'const t = new x(); t.insert({ minX: 0, minY: 0, maxX: 1, maxY: 1 }); return t.search({ minX: 0, minY: 0, maxX: 2, maxY: 2 }).length',
  },
  react: {
    imports: 'import { createElement } from "react"',
    call: 'createElement("p", null, "a").type',
  },
  'react-dom': {
    imports:
      'import { createElement } from "react"; import { renderToString } from "react-dom/server"',
    call: 'renderToString(createElement("p", null, "a"))',
    fails: 'MessageChannel',
    because: 'needs `MessageChannel` of a web page',
  },
  redux: {
    imports: 'import { legacy_createStore as x } from "redux"',
    call: 'const s = x((n = 0, a) => a.type === "up" ? n + 1 : n); s.dispatch({ type: "up" }); return s.getState()',
  },
  rxjs: {
    imports: 'import { from, map, lastValueFrom } from "rxjs"',
    call: 'return lastValueFrom(from([1, 2]).pipe(map((n) => n * 2)))',
  },
  seedrandom: { call: 'x("a")()' },
  'seedrandom without a seed': { imports: 'import x from "seedrandom"', call: 'typeof x()()' },
  semver: { call: 'x.satisfies("1.2.3", "^1.1.0")' },
  sentiment: { call: 'new x().analyze("cats are great").score' },
  'simple-statistics': {
    imports: 'import { median, linearRegression } from "simple-statistics"',
    call: '[median([1, 5, 2]), linearRegression([[0, 0], [1, 2]])]',
  },
  'simplex-noise': {
    imports: 'import { createNoise2D } from "simplex-noise"',
    call: 'createNoise2D(() => 0.5)(1.5, 2.5)',
  },
  slugify: { call: 'x("Hé llo")' },
  superstruct: {
    imports: 'import { object, number, is } from "superstruct"',
    call: 'is({ a: 1 }, object({ a: number() }))',
  },
  three: {
    imports: 'import { Vector3, Matrix4 } from "three"',
    call: 'new Vector3(1, 2, 3).applyMatrix4(new Matrix4().makeScale(2, 2, 2)).toArray()',
  },
  toml: { call: 'x.parse("a = [1, 2]")' },
  tweetnacl: { call: 'Array.from(x.hash(new Uint8Array(2)).slice(0, 4))' },
  'tweetnacl keys': {
    imports: 'import x from "tweetnacl"',
    call: 'x.box.keyPair().publicKey.length',
    own: 32,
  },
  underscore: { call: 'x.groupBy([1, 2, 3], (n) => n % 2)' },
  uuid: { imports: 'import { v4, v5 } from "uuid"', call: '[v4().length, v5("a", v5.URL)]' },
  valibot: {
    imports: 'import { object, number, parse } from "valibot"',
    call: 'parse(object({ a: number() }), { a: 1 })',
  },
  validator: { call: 'x.isEmail("a@b.de")' },
  ws: {
    call: 'new x("ws://a").url',
    fails: 'ws does not work in the browser',
    because: 'needs the network',
  },
  xstate: {
    imports: 'import { createMachine, createActor } from "xstate"',
    call: 'const a = createActor(createMachine({ initial: "a", states: { a: { on: { go: "b" } }, b: {} } })).start(); a.send({ type: "go" }); return a.getSnapshot().value',
  },
  yaml: { call: 'x.parse("a: [1, 2]")' },
  yup: {
    imports: 'import { object, number } from "yup"',
    call: 'object({ a: number().required() }).isValidSync({ a: 1 })',
  },
  zod: { imports: 'import { z } from "zod"', call: 'z.object({ a: z.number() }).parse({ a: 1 })' },
};

/** The package that a use is about. */
export function packageOf(name: string): string {
  const [first = ''] = name.split(' ');
  return first.startsWith('@') ? first : first.split('/')[0]!;
}

/** A body with statements returns by itself. */
export function programOf(name: string, { imports, call }: Use): string {
  const body = /\breturn\b/.test(call) ? call : `return ${call}`;
  const lead = imports ?? `import x from ${JSON.stringify(packageOf(name))}`;
  return `${lead};\nexport default async () => { ${body}; };\n`;
}
