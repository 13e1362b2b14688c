import { Composer, type Document, Lexer, LineCounter, type ParseOptions, Parser, Schema } from 'yaml';
import { limits } from './limits.ts';

/** A document of YAML whose parts would fill this machine's memory: each takes hundreds of bytes. */
export class YamlTooLarge extends Error {
  /** Where it begins, from 1. */
  readonly line: number;
  constructor(line: number) {
    super(`one document of it has more than ${limits.yaml} parts`);
    this.line = line;
  }
}

/** What begins a document, in the words of yaml's Lexer. */
const beginnings: ReadonlySet<string> = new Set(['\u0002', '---']);

function* partsOf(text: string): Generator<string> {
  let [count, line, first] = [0, 1, 1];
  for (const part of new Lexer().lex(text)) {
    count += 1;
    if (beginnings.has(part)) [count, first] = [0, line];
    if (count > limits.yaml) throw new YamlTooLarge(first);
    for (let at = part.indexOf('\n'); at >= 0; at = part.indexOf('\n', at + 1)) line += 1;
    yield part;
  }
}

/** Throws {@link YamlTooLarge} before anything is made of the text. */
export function refuseLargeYaml(text: string): void {
  for (const _ of partsOf(text));
}

const core = new Schema({ schema: 'core' });
const texts = Symbol.for('yaml.scalar');
const asText: object = Reflect.get(core, texts);
/** V8 keeps a quoted text as a tree of its letters, 32 bytes each, until it is searched. */
const resolve = (text: string): string => (/[\s\S]/.test(text) ? text : '');
const schema: Schema = Object.create(core, { [texts]: { value: { ...asText, resolve } } });

/** The documents of a text, one at a time, each with its errors. Throws {@link YamlTooLarge}. */
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
