import { createTwoFilesPatch } from 'diff';
import { stringify } from 'yaml';
import { withValue } from './document-value.ts';
import { type KubeObject, objectKey, type Step, withoutServerFields } from './plan.ts';
import type { ComparedPlan } from './prepare.ts';
import { readable } from './readable-value.ts';

const yaml = (object: unknown, replacer: typeof readable | null): string =>
  object === undefined ? '' : stringify(object, replacer, { lineWidth: 0, aliasDuplicateObjects: false });

/** The object without fields that the API server maintains, which would only clutter a diff. */
function shown(object: KubeObject, withStatus: boolean): unknown {
  const { metadata, ...rest } = withoutServerFields(object);
  const status = withStatus ? { status: object.status } : {};
  const { 'kubectl.kubernetes.io/last-applied-configuration': _, ...annotations } =
    metadata.annotations ?? {};
  const named = Object.keys(annotations).length > 0 ? { annotations } : {};
  const { annotations: __, ...others } = metadata;
  return { ...rest, metadata: { ...others, ...named }, ...status };
}

/** The object after its steps; `undefined` if they delete it. */
function changed(object: KubeObject | undefined, steps: readonly Step[]): unknown {
  return steps.reduce<unknown>((at, { operation, path, after }) => {
    if (operation === 'delete') return undefined;
    if (operation === 'create') return after;
    return withValue(at as object, path ?? '', after);
  }, object);
}

/** A unified diff of each object, as `kubectl diff` prints it: YAML before and after, three lines of context. */
export function diffOf({ steps, objects }: Pick<ComparedPlan, 'steps' | 'objects'>): readonly string[] {
  const keys = [...new Set(steps.map(({ object }) => objectKey(object)))];
  return keys.map((object) => {
    const own = steps.filter((step) => objectKey(step.object) === object);
    const before = objects.get(object);
    const withStatus = own.some(({ subresource }) => subresource === 'status');
    const after = changed(before, own) as KubeObject | undefined;
    return yamlDiff(
      [before === undefined ? '/dev/null' : `live/${object}`, before && shown(before, withStatus)],
      [after === undefined ? '/dev/null' : `changed/${object}`, after && shown(after, withStatus)],
    );
  });
}

type Named = readonly [name: string, object: unknown];

/** A unified diff of two objects as YAML. */
export function yamlDiff([from, before]: Named, [to, after]: Named): string {
  const patch = (replacer: typeof readable | null): string =>
    createTwoFilesPatch(from, to, yaml(before, replacer), yaml(after, replacer), undefined, undefined, {
      context: 3,
    }).replace(/^=+\n/, '');
  const short = patch(readable);
  // The same certificates in other bytes.
  return short.includes('\n@@') ? short : patch(null);
}
