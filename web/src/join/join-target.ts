import type { JoinLink, LinkKind } from '@passport/contract/join'

/** The group or organisation that a link leads to. */
export interface JoinTarget {
  kind: LinkKind
  targetId: string
  /** The display name. */
  name: string
}

/** Formats the number of joins and the limit: “3 of 40 joined”. */
export function formatUses({ used, maxUses }: Pick<JoinLink, 'used' | 'maxUses'>): string {
  const joined = used.toLocaleString('en')
  return maxUses === null ? `${joined} joined` : `${joined} of ${maxUses.toLocaleString('en')} joined`
}
