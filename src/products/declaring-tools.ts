/** Controllers that repeatedly apply a declared state, as field managers. */
const repeatedly = [
  'argocd',
  'kustomize-controller',
  'helm-controller',
  'flux',
  'fleet',
  'config-?sync',
  'kapp-controller',
  'addon-manager',
  'gardener-resource-manager',
];

/** Tools that apply a declared state when a user runs them. HashiCorp is the manager of Terraform's provider. */
const once = ['helm', 'kapp', 'terraform', 'hashicorp', 'pulumi'];

/** Controllers that apply a declared state, and also renew certificates of the products that they install. */
const renewing = ['rancher', 'olm'];

/** Clients of people: kubectl, dashboards, browsers, and writes from before server-side apply. */
const people = ['kubectl', 'k9s', 'lens', 'node-fetch', 'mozilla', 'before-first-apply'];

/** Subcommands of kubectl that apply a manifest; `edit` and `patch` do not. */
const manifests = ['kubectl-client-side-apply', 'kubectl-replace', 'kubectl-create'];

/** Default names of client libraries: a person or a controller. */
const libraries = ['unknown', 'create-client', 'openapi', 'swagger'];

const anyOf = (...prefixes: readonly string[]): RegExp => new RegExp(`^(?:${prefixes.join('|')})`, 'i');

const restoring = anyOf(...repeatedly, 'rancher');
const declaring = anyOf(...repeatedly, ...once, ...renewing, ...manifests);
const peopleOrTools = anyOf(...repeatedly, ...once, ...people);
const unclear = anyOf(...libraries);

/** True for a controller that restores a declared state after each change. */
export const restoresDeclaredState = (manager: string): boolean => restoring.test(manager);

/** True for a tool that writes a state which is declared elsewhere, repeatedly or once. */
export const writesDeclaredState = (manager: string): boolean => declaring.test(manager);

/** True for people, and for tools that only apply a declared state: none of them renews a certificate. */
export const isPersonOrTool = (manager: string): boolean => peopleOrTools.test(manager);

/** True for the default name of a client library, which does not show what wrote. */
export const isUnclearManager = (manager: string): boolean => unclear.test(manager);
