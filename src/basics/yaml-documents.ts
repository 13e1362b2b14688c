import { Composer, type Document, Lexer, LineCounter, type ParseOptions, Parser, Schema } from 'yaml';
import { limits } from './limits.ts';

/** A YAML document whose nodes would exhaust this machine's memory: each needs hundreds of bytes. */
export class YamlTooLarge extends Error {
  /** Its first line, from 1. */
  readonly line: number;
  constructor(line: number) {
    super(`one document of it has more than ${limits.yaml} parts`);
    this.line = line;
  }
}

/** Tokens of yaml's Lexer that start a document. */
const beginnings: ReadonlySet<string> = new Set(['\u0002', '---']);

interface Indented {
  indentNext: number;
}

/**
 * A lexer that accepts quoted text of several lines with any indentation, as kubectl does (go-yaml scannerc.go
 * yaml_parser_scan_flow_scalar). YAML requires more than that of the parent.
 */
function lexerOfKubectl(): Lexer {
  const lexer = new Lexer();
  const quoted: (this: Indented) => Generator<string, unknown> = Reflect.get(lexer, 'parseQuotedScalar');
  Reflect.set(lexer, 'parseQuotedScalar', function* (this: Indented): Generator<string, unknown> {
    const { indentNext } = this;
    this.indentNext = 0;
    const next = yield* quoted.call(this);
    this.indentNext = indentNext;
    return next;
  });
  return lexer;
}

function* partsOf(text: string): Generator<string> {
  let [count, line, first] = [0, 1, 1];
  for (const part of lexerOfKubectl().lex(text)) {
    count += 1;
    if (beginnings.has(part)) [count, first] = [0, line];
    if (count > limits.yaml) throw new YamlTooLarge(first);
    for (let at = part.indexOf('\n'); at >= 0; at = part.indexOf('\n', at + 1)) line += 1;
    yield part;
  }
}

/** Throws {@link YamlTooLarge} before the text is parsed. */
export function refuseLargeYaml(text: string): void {
  for (const _ of partsOf(text));
}

const core = new Schema({ schema: 'core' });
const texts = Symbol.for('yaml.scalar');
const asText: object = Reflect.get(core, texts);
/** V8 represents a quoted text as a tree of its characters, 32 bytes each, until a search flattens it. */
const resolve = (text: string): string => (/[\s\S]/.test(text) ? text : '');
const schema: Schema = Object.create(core, { [texts]: { value: { ...asText, resolve } } });

/** Parses the documents of a text one by one, each with its errors. Throws {@link YamlTooLarge}. */
export function* yamlDocuments(
  text: string,
  options: ParseOptions,
  lines = new LineCounter(),
): Generator<Document.Parsed> {
  const parser = new Parser(lines.addNewLine);
  const composer = new Composer({ ...options, schema });
  lines.addNewLine(0);
  for (const part of partsOf(text)) for (const token of parser.next(part)) yield* composer.next(token);
  for (const token of parser.end()) yield* composer.next(token);
  yield* composer.end();
}
