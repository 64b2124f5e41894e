import { type Miss, writeRelationships } from '@passport/contract/permissions'
import { call } from '../app/api.ts'

type Change = Pick<Miss, 'change' | 'relationship'>

/** Writes one relationship, or deletes it. */
export const writeChange = ({ change, relationship }: Change): Promise<{ writtenAt: string }> =>
  call(writeRelationships, {
    body: { updates: [{ operation: change === 'add' ? 'touch' : 'delete', relationship }] },
  })

/** What takes a change back. */
export const opposite = ({ change, relationship }: Change): Change => ({
  change: change === 'add' ? 'remove' : 'add',
  relationship,
})
