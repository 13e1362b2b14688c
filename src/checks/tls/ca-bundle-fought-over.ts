import { askedInjector } from '../../products/ca-injectors.ts';
import { fieldManagers } from '../../products/field-managers.ts';
import { keptBy } from '../../products/of-metadata.ts';
import { knownWriters } from '../../products/writers.ts';
import { defineCheck } from '../check.ts';
import { verified } from './ca-bundle.ts';

/** Tools that write a declared state again and again, by their field managers. */
const restorers =
  /^(argocd|kustomize-controller|helm-controller|flux|fleet|rancher|config-sync|configsync|kapp-controller|addon-manager)/i;

export const caBundleFoughtOver = defineCheck({
  meta: {
    id: 'ca-bundle-fought-over',
    link: 'tls',
    title: 'Two writers keep the caBundle',
    severity: 'warning',
    why: 'One tool restores the caBundle that is declared somewhere, another one injects the one that is right. Each undoes the other: the bundle is right for a while and wrong for a while, and calls fail in between.',
    advice:
      'Leave the field to the injector: take `caBundle` out of the declared manifest, and let the tool ignore it (Argo CD: `ignoreDifferences` with `RespectIgnoreDifferences=true`; Flux: `kustomize.toolkit.fluxcd.io/ssa: IfNotPresent` or a patch that drops it).',
    messages: {
      both: '{restorer} and {injector} both own the caBundle (managedFields)',
      overwritten: '{restorer} owns the caBundle, which {injector} is asked to write',
    },
  },
  requires: ['callouts'],
  subjects: verified,
  run(callout, _facts, find) {
    const owners = [...fieldManagers(callout)]
      .filter(([, fields]) => fields.includes('caBundle'))
      .map(([name]) => name);
    const restorer = owners.find((name) => restorers.test(name));
    if (restorer === undefined) return undefined;
    const known = knownWriters(callout).filter(({ fields }) => fields.includes('caBundle'));
    const writing = known.find(({ managers }) => [...managers.keys()].some((name) => owners.includes(name)));
    const asked = askedInjector(callout.metadata)?.injector.name;
    const kept = keptBy(callout.metadata);
    const evidence = [
      {
        object: callout.ref,
        field: 'metadata.managedFields',
        value: `the caBundle is owned by ${owners.join(', ')}`,
      },
      ...(kept === undefined
        ? []
        : [{ object: callout.ref, field: `metadata.${kept.field}`, value: kept.value }]),
    ];
    if (writing !== undefined) return find('both', { restorer, injector: writing.writer.name }, evidence);
    return asked === undefined ? undefined : find('overwritten', { restorer, injector: asked }, evidence);
  },
});
