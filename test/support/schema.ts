import { readFileSync } from 'node:fs';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';

const ajv = new Ajv2020({ allErrors: true, strict: true, strictRequired: false, strictTypes: false });
formats.default(ajv);

/** A schema of the documentation. */
const shipped = (name: string) =>
  JSON.parse(readFileSync(new URL(`../../docs/schema/${name}.schema.json`, import.meta.url), 'utf8'));

/** The schema in which each object has no other members than those that are described. */
function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed);
  if (typeof schema !== 'object' || schema === null) return schema;
  const inside = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, closed(value)]));
  return inside.type === 'object' && inside.properties !== undefined
    ? { unevaluatedProperties: false, ...inside }
    : inside;
}

/** The errors of a document, by its schema, which is compiled when it is first used; empty if it is valid. */
function against(schema: object): (document: unknown) => readonly string[] {
  let validate: ValidateFunction | undefined;
  return (document) => {
    validate ??= ajv.compile(schema);
    return validate(document)
      ? []
      : (validate.errors ?? []).map(({ instancePath, message, params }) =>
          [instancePath || '/', message, ...Object.values(params)].join(' '),
        );
  };
}

export const doctorReportSchema = shipped('doctor-report');
/** Without further members, which later versions may print. A remedy may have some: those of a next command. */
export const schemaErrors = against({
  ...(closed(doctorReportSchema) as typeof doctorReportSchema),
  $defs: { ...(closed(doctorReportSchema.$defs) as object), remedy: doctorReportSchema.$defs.remedy },
});
export const openSchemaErrors = against(doctorReportSchema);
export const changeSchemaErrors = against(shipped('change-report'));
export const certificateSchemaErrors = against(shipped('certificate-report'));
export const explanationSchemaErrors = against(shipped('explanation'));
export const traceSchemaErrors = against(shipped('request-trace'));
export const whatIfSchemaErrors = against(shipped('what-if-report'));
export const lintSchemaErrors = against(shipped('lint-report'));
export const waitSchemaErrors = against(shipped('wait-report'));
export const snapshotSchemaErrors = against(shipped('snapshot'));
export const severalSchemaErrors = against(shipped('list'));
export const listSchemaErrors = against(shipped('webhook-list'));
