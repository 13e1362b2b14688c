import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { Ajv } from 'ajv';
import formats from 'ajv-formats';

const library = createRequire(import.meta.url).resolve('@cyclonedx/cyclonedx-library/package.json');

/** A schema as published by CycloneDX: `bom-1.6`, `spdx`, …. */
const schema = (name: string) =>
  JSON.parse(readFileSync(join(dirname(library), 'res', 'schema', `${name}.SNAPSHOT.schema.json`), 'utf8'));

function compile() {
  const ajv = new Ajv({ allErrors: true, strict: false });
  formats.default(ajv);
  // Our texts are ASCII, for which these formats are the same.
  const { 'uri-reference': reference = true, email = true } = ajv.formats;
  ajv.addFormat('iri-reference', reference).addFormat('idn-email', email);
  for (const name of ['spdx', 'jsf-0.82', 'cryptography-defs'])
    ajv.addSchema(schema(name), `http://cyclonedx.org/schema/${name}.SNAPSHOT.schema.json`);
  return ajv.compile(schema('bom-1.6'));
}
let compiled: ReturnType<typeof compile> | undefined;

/** The errors of a bill of materials, by the schema of CycloneDX 1.6. */
export function billOfMaterialsErrors(bill: unknown): readonly string[] {
  compiled ??= compile();
  if (compiled(bill)) return [];
  return (compiled.errors ?? []).map(({ instancePath, message }) => `${instancePath || '/'} ${message}`);
}
