import type { JoinLink, LinkKind } from '@passport/contract/join'

/** The target of a link. */
export interface JoinTarget {
  kind: LinkKind
  targetId: string
  /** The display name. */
  name: string
}

/** Formats the number of joins and the limit. */
export function formatUses({ used, maxUses }: Pick<JoinLink, 'used' | 'maxUses'>): string {
  const joined = used.toLocaleString('en')
  return maxUses === null ? `${joined} joined` : `${joined} of ${maxUses.toLocaleString('en')} joined`
}
