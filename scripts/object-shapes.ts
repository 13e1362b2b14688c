// The shapes of all objects and facts, from their types: `npm run docs` writes src/collect/shapes.json.
import { join } from 'node:path';
import ts from 'typescript';

const root = join(import.meta.dirname, '..');
const sources = ['src/facts/snapshot.ts', 'src/facts/callout.ts', 'src/collect/shape.ts'];

/** The file of the shapes. */
export const shapesFile = join(root, 'src/collect/shapes.json');

type Shape = string | readonly [Shape] | { readonly [field: string]: Shape };

/**
 * Literal types of which the program cannot work with another value: of the API, this one; of its own facts, all. A newer
 * API may have further values elsewhere.
 */
const closed = 'WorkloadKind';
const ownFacts = 'src/facts/probes.ts';

function generator(program: ts.Program) {
  const checker = program.getTypeChecker();
  const types: Record<string, Shape> = {};

  /** Undefined for a value that can have any type. */
  function shapeOf(given: ts.Type): Shape | undefined {
    if (given.flags & (ts.TypeFlags.Unknown | ts.TypeFlags.Any)) return undefined;
    const type = checker.getNonNullableType(given);
    if (type.isUnion()) return ofUnion(type.types);
    if (type.flags & ts.TypeFlags.StringLike) return 'text';
    if (type.flags & ts.TypeFlags.NumberLike) return 'number';
    if (type.flags & ts.TypeFlags.BooleanLike) return 'flag';
    if (!(type.flags & (ts.TypeFlags.Object | ts.TypeFlags.Intersection))) return undefined;
    if (type.symbol?.name === 'Uint8Array') return 'bytes';
    if (checker.isArrayType(type)) {
      const [element] = checker.getTypeArguments(type as ts.TypeReference);
      const shape = element && shapeOf(element);
      return shape && [shape];
    }
    const values = checker.getIndexInfoOfType(type, ts.IndexKind.String)?.type;
    if (values !== undefined) {
      const shape = shapeOf(values);
      return shape === 'text' || shape === 'number' ? `${shape}s by name` : undefined;
    }
    const name = type.symbol?.name ?? '';
    if (!type.symbol || !(type.symbol.flags & ts.SymbolFlags.Interface)) return fieldsOf([type]);
    if (!(name in types)) {
      types[name] = {};
      types[name] = fieldsOf([type]);
    }
    return name;
  }

  /** `one of a b` for a closed type. */
  function choiceOf(property: ts.Symbol): Shape | undefined {
    const given = checker.getTypeOfSymbol(property);
    const type = checker.getNonNullableType(given);
    const isOwn = property.declarations?.some((one) => one.getSourceFile().fileName.endsWith(ownFacts));
    if (isOwn !== true && given.aliasSymbol?.name !== closed) return undefined;
    if (!type.isUnion() || !type.types.every((one) => one.isStringLiteral())) return undefined;
    return `one of ${type.types.map((one) => (one as ts.StringLiteralType).value).join(' ')}`;
  }

  function ofUnion(members: readonly ts.Type[]): Shape | undefined {
    const leaves = [...new Set(members.map((member) => JSON.stringify(shapeOf(member))))];
    if (leaves.length === 1) return shapeOf(members[0] as ts.Type);
    if (leaves.toSorted().join(' or ') === '"number" or "text"') return 'text or number';
    const objects = members.filter(({ flags }) => flags & ts.TypeFlags.Object);
    if (objects.length < members.length) return 'text or object';
    return fieldsOf(objects);
  }

  /** A field is required if every type of the union requires it. */
  function fieldsOf(union: readonly ts.Type[]): Shape {
    const names = new Set(union.flatMap((type) => checker.getPropertiesOfType(type).map(({ name }) => name)));
    const fields: Record<string, Shape> = {};
    for (const name of names) {
      const properties = union.map((type) => checker.getPropertyOfType(type, name));
      const present = properties.filter((property) => property !== undefined);
      const held = present.map((property) => checker.getTypeOfSymbol(property));
      const isRequired =
        present.length === union.length &&
        present.every(({ flags }) => !(flags & ts.SymbolFlags.Optional)) &&
        held.every((type) => checker.getNonNullableType(type) === type);
      const shapes = present
        .map((property) => choiceOf(property) ?? shapeOf(checker.getTypeOfSymbol(property)))
        .filter((shape) => shape !== undefined);
      if (shapes[0] !== undefined && new Set(shapes.map((shape) => JSON.stringify(shape))).size === 1)
        fields[isRequired ? `${name}!` : name] = shapes[0];
    }
    return fields;
  }

  return { checker, shapeOf, types };
}

/** The type of an exported declaration of a source file. */
function declared(program: ts.Program, checker: ts.TypeChecker, name: string): ts.Type {
  for (const source of sources) {
    const file = program.getSourceFile(join(root, source));
    const symbol = file && checker.getExportsOfModule(checker.getSymbolAtLocation(file) as ts.Symbol);
    const found = symbol?.find((one) => one.name === name);
    if (found !== undefined) return checker.getDeclaredTypeOfSymbol(found);
  }
  throw new Error(`no type ${name}`);
}

/** The text of the file: named types, then the shapes of the API's objects, of the facts, and of callouts by kind. */
export function shapesText(): string {
  const { config } = ts.readConfigFile(join(root, 'tsconfig.json'), ts.sys.readFile);
  const { options } = ts.convertCompilerOptionsFromJson(config.compilerOptions, root);
  const program = ts.createProgram(
    sources.map((source) => join(root, source)),
    { ...options, types: [] },
  );
  const { checker, shapeOf, types } = generator(program);
  const propertiesOf = (type: ts.Type) =>
    checker.getPropertiesOfType(type).map(({ name }) => {
      const property = checker.getPropertyOfType(type, name) as ts.Symbol;
      return [name, checker.getTypeOfSymbol(property)] as const;
    });
  const objects = propertiesOf(declared(program, checker, 'CheckedObjects')).map(([name, type]) => [
    name,
    shapeOf(type),
  ]);
  const facts = propertiesOf(declared(program, checker, 'Facts')).flatMap(([name, type]) => {
    const entry = type.symbol?.name === 'Lookup' && checker.getTypeArguments(type as ts.TypeReference)[0];
    return entry ? [[name, shapeOf(entry)]] : [];
  });
  const callout = declared(program, checker, 'Callout') as ts.UnionType;
  const callouts = callout.types.flatMap((type) => {
    const kind = checker.getTypeOfSymbol(checker.getPropertyOfType(type, 'kind') as ts.Symbol);
    const kinds = kind.isUnion() ? kind.types : [kind];
    return kinds.map((one) => [(one as ts.StringLiteralType).value, shapeOf(type)]);
  });
  const sections = {
    types,
    objects: Object.fromEntries(objects),
    facts: Object.fromEntries(facts),
    callouts: Object.fromEntries(callouts),
  };
  return `{\n${Object.entries(sections)
    .map(([name, shapes]) => {
      const lines = Object.entries(shapes as object).map(
        ([of, shape]) => `    ${JSON.stringify(of)}: ${JSON.stringify(shape)}`,
      );
      return `  "${name}": {\n${lines.join(',\n')}\n  }`;
    })
    .join(',\n')}\n}\n`;
}
