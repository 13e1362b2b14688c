import { Document, isMap, isSeq } from 'yaml';
import { renderJson } from '../data-formats/json.ts';
import type { RbacManifests, RbacObject } from './rbac-object.ts';

/** Values of `-o`; the default is YAML. */
export type RbacFormat = 'yaml' | 'json';

/** The object without the fields that the API does not have. */
const bare = ({ rules, ...object }: RbacObject): object => ({
  ...object,
  ...(rules === undefined ? {} : { rules: rules.map(({ uses: _, ...rule }) => rule) }),
});

/** A YAML document with a comment above each rule that says what it is for. */
function yamlOf(object: RbacObject): string {
  const document = new Document(bare(object), { aliasDuplicateObjects: false });
  const rules = document.get('rules');
  if (isSeq(rules)) {
    for (const [at, rule] of rules.items.entries()) {
      const { uses = [] } = object.rules?.[at] ?? {};
      if (!isMap(rule)) continue;
      rule.commentBefore = ` ${uses.join('; ')}`;
      for (const { value } of rule.items) if (isSeq(value)) value.flow = true;
    }
  }
  return document.toString({ lineWidth: 0, flowCollectionPadding: false });
}

/** Prints manifests for `kubectl apply -f -`. */
export function renderRbac({ objects, notes }: RbacManifests, format: RbacFormat): string {
  if (format === 'json') return renderJson({ apiVersion: 'v1', kind: 'List', items: objects.map(bare) });
  return `${notes.map((note) => `# ${note}\n`).join('')}${objects.map(yamlOf).join('---\n')}`;
}
