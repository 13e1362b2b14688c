import { type Certificate, isSelfIssued } from '../certificate.ts';
import { constraintsOfChain } from '../names/name-constraints-per-chain.ts';
import { type ChainCheck, chainFailure, type Failure } from './chain-check.ts';

interface Node {
  readonly policy: string;
  expected: readonly string[];
  readonly parents: Set<Node>;
  readonly children: Set<Node>;
}

/** One row of nodes per certificate, by policy. */
type Graph = Map<string, Node>[];

const anyPolicy = '2.5.29.32.0';

function insert(graph: Graph, policy: string, parents: readonly Node[]): Node {
  const node: Node = { policy, expected: [policy], parents: new Set(parents), children: new Set() };
  for (const parent of parents) parent.children.add(node);
  graph.at(-1)?.set(policy, node);
  return node;
}

function remove(row: Map<string, Node>, node: Node): void {
  for (const parent of node.parents) parent.children.delete(node);
  for (const child of node.children) child.parents.delete(node);
  row.delete(node.policy);
}

/** Removes nodes that have no path to a leaf; the root stays. */
function prune(graph: Graph): void {
  for (const row of graph.slice(1, -1).reverse()) {
    for (const node of [...row.values()]) if (node.children.size === 0) remove(row, node);
  }
}

/** Nodes of a row by each expected policy of the next certificate. */
function parentsByExpected(row: ReadonlyMap<string, Node>): ReadonlyMap<string, readonly Node[]> {
  const found = new Map<string, Node[]>();
  for (const node of row.values()) {
    for (const policy of new Set(node.expected)) {
      const nodes = found.get(policy);
      if (nodes === undefined) found.set(policy, [node]);
      else nodes.push(node);
    }
  }
  return found;
}

/** RFC 9618 6.1.3 (d): adds the row of one certificate. */
function addRow(graph: Graph, policies: readonly string[], anyCounts: boolean): void {
  const above = graph.at(-1) ?? new Map<string, Node>();
  graph.push(new Map());
  const byExpected = parentsByExpected(above);
  const expecting = (policy: string) => byExpected.get(policy) ?? [];
  for (const policy of policies) {
    if (policy === anyPolicy) continue;
    const parents = expecting(policy);
    const anyParent = above.get(anyPolicy);
    if (parents.length > 0) insert(graph, policy, parents);
    else if (anyParent !== undefined) insert(graph, policy, [anyParent]);
  }
  if (policies.includes(anyPolicy) && anyCounts) {
    const row = graph.at(-1);
    const missing = new Set(
      [...above.values()].flatMap(({ expected }) => expected).filter((policy) => !row?.has(policy)),
    );
    for (const policy of missing) insert(graph, policy, expecting(policy));
  }
  prune(graph);
}

/** RFC 9618 6.1.4 (b); returns false for a mapping from or to any policy. */
function map(graph: Graph, { policyMappings }: Certificate, allowed: boolean): boolean {
  const mappings = new Map<string, string[]>();
  for (const { issuer, subject } of policyMappings) {
    if (allowed) {
      if (issuer === anyPolicy || subject === anyPolicy) return false;
      mappings.set(issuer, [...(mappings.get(issuer) ?? []), subject]);
      continue;
    }
    const row = graph.at(-1);
    const leaf = row?.get(issuer);
    if (row !== undefined && leaf !== undefined) remove(row, leaf);
  }
  if (policyMappings.length > 0) prune(graph);
  for (const [issuer, subjects] of mappings) {
    const anyLeaf = graph.at(-1)?.get(anyPolicy);
    const node = graph.at(-1)?.get(issuer) ?? (anyLeaf && insert(graph, issuer, [anyLeaf]));
    if (node !== undefined) node.expected = subjects;
  }
  return true;
}

const hasValidPolicy = (graph: Graph): boolean =>
  graph.at(-1)?.has(anyPolicy) === true ||
  graph
    .flatMap((row) => [...row.values()])
    .some(
      ({ policy, parents: [parent, ...others] }) =>
        policy !== anyPolicy && parent?.policy === anyPolicy && others.length === 0,
    );

/** The number of certificates that may follow before a policy rule applies. */
interface Countdown {
  explicitPolicy: number;
  policyMapping: number;
  inhibitAny: number;
}

const lowest = (limit: number | undefined, count: number): number =>
  limit !== undefined && limit >= 0 ? Math.min(limit, count) : count;

function countDown(left: Countdown, certificate: Certificate, selfIssued: boolean): void {
  const one = selfIssued ? 0 : 1;
  left.explicitPolicy = lowest(certificate.requireExplicitPolicy, Math.max(0, left.explicitPolicy - one));
  left.policyMapping = lowest(certificate.inhibitPolicyMapping, Math.max(0, left.policyMapping - one));
  left.inhibitAny = lowest(certificate.inhibitAnyPolicy, Math.max(0, left.inhibitAny - one));
}

const root = (): Graph => {
  const graph: Graph = [new Map()];
  insert(graph, anyPolicy, []);
  return graph;
};

/**
 * True if the certificate policies of a chain are valid, with any policy accepted (RFC 9618; crypto/x509
 * policiesValid, from Go 1.24 on).
 *
 * @param chain from the server's certificate to the anchor.
 */
function policiesFit(chain: readonly Certificate[]): boolean {
  const path = chain.slice(0, -1).reverse();
  const leaf = chain[0];
  if (leaf === undefined || path.length === 0) return true;
  const all = path.length + 1;
  const left: Countdown = { explicitPolicy: all, policyMapping: all, inhibitAny: all };
  let graph: Graph | undefined = root();
  for (const [at, certificate] of path.entries()) {
    const selfIssued = isSelfIssued(certificate);
    const isLast = at === path.length - 1;
    if (certificate.policies.length === 0) graph = undefined;
    if (graph === undefined && left.explicitPolicy === 0) return false;
    if (graph !== undefined) {
      addRow(graph, certificate.policies, left.inhibitAny > 0 || (!isLast && selfIssued));
      if (!isLast && !map(graph, certificate, left.policyMapping > 0)) return false;
    }
    if (!isLast) countDown(left, certificate, selfIssued);
  }
  const needed = leaf.requireExplicitPolicy === 0 || left.explicitPolicy <= 1;
  return !needed || (graph !== undefined && hasValidPolicy(graph));
}

const serverAuth = '1.3.6.1.5.5.7.3.1';
const any = '2.5.29.37.0';

/**
 * True if every certificate with extended key usages lists server authentication or any usage (crypto/x509
 * checkChainForKeyUsage).
 */
const maySignServers = (chain: readonly Certificate[]): boolean =>
  chain.every(
    ({ extendedKeyUsages: usages }) =>
      usages.length === 0 || usages.includes(serverAuth) || usages.includes(any),
  );

type Chain = readonly Certificate[];

const wrongUsage = 'x509: certificate specifies an incompatible key usage';

interface RejectedChains {
  readonly policies: number;
  readonly usages: number;
  /** The name constraint error of the first one. */
  readonly names: string | undefined;
}

function whyNone({ policies, usages, names }: RejectedChains, leaf: Certificate, perChain: boolean): Failure {
  if (names !== undefined) {
    const words = 'x509: a root or intermediate certificate is not authorized to sign for this name';
    return chainFailure('name-not-permitted', leaf, `${words}: ${names}`);
  }
  if (policies === 0) return chainFailure('wrong-usage', leaf, wrongUsage);
  const what = perChain ? 'candidate chains' : 'chains';
  const details = [
    ...(usages > 0 ? [`${usages} ${what} with incompatible key usage`] : []),
    `${policies} ${what} with invalid policies`,
  ];
  const all = usages === 0 && !perChain ? 'all candidate chains have invalid policies' : details.join(', ');
  return chainFailure('policies-do-not-fit', leaf, `x509: no valid chains built: ${all}`);
}

/** The first chain that policies, usages and (from Go 1.26) name constraints permit (crypto/x509 Verify). */
export function chooseChain(
  chains: readonly Chain[],
  check: ChainCheck,
): { readonly chain: Chain } | { readonly failure: Failure } {
  const { rules, tolerated } = check;
  const leaf = chains[0]?.[0] as Certificate;
  const perChain = rules.nameConstraints === 'per-chain';
  let [policies, usages] = [0, 0];
  let names: string | undefined;
  for (const chain of chains) {
    if (rules.policies && !tolerated.has(leaf, 'policies-do-not-fit') && !policiesFit(chain)) {
      policies += 1;
      continue;
    }
    if (!tolerated.has(leaf, 'wrong-usage') && !maySignServers(chain)) {
      usages += 1;
      continue;
    }
    const problem =
      perChain && !tolerated.has(leaf, 'name-not-permitted') ? constraintsOfChain(chain) : undefined;
    if (problem === undefined) return { chain };
    names ??= problem;
  }
  return { failure: whyNone({ policies, usages, names }, leaf, perChain) };
}
