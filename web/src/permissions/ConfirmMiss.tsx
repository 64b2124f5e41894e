import type { Miss } from '@passport/contract/permissions'
import { useQuery } from '@tanstack/react-query'
import { Confirm } from '../ui/Dialog.tsx'
import { storedQuery } from './change.ts'
import { RelationshipText } from './RelationshipText.tsx'

interface ConfirmMissProps {
  /** The change to confirm; undefined if none. */
  miss: Miss | undefined
  isBusy: boolean
  onConfirm: (miss: Miss) => void
  onClose: () => void
}

/** Asks before writing a relationship that would reverse an answer. */
export function ConfirmMiss({ miss, isBusy, onConfirm, onClose }: ConfirmMissProps) {
  return (
    <Confirm
      isOpen={miss !== undefined}
      title={miss?.change === 'remove' ? 'Delete this relationship?' : 'Add this relationship?'}
      action={miss?.change === 'remove' ? 'Delete relationship' : 'Add relationship'}
      variant={miss?.change === 'remove' ? 'danger' : 'primary'}
      isBusy={isBusy}
      onConfirm={() => miss && onConfirm(miss)}
      onClose={onClose}
    >
      {miss && (
        <>
          <p>
            <RelationshipText relationship={miss.relationship} isNew />
          </p>
          {miss.change === 'add' && <Replaced relationship={miss.relationship} />}
          <p className="mt-2">Takes effect immediately for all permission checks. You can undo it.</p>
        </>
      )}
    </Confirm>
  )
}

/** Shows the existing relationship with another condition or expiry, which an addition replaces. */
function Replaced({ relationship }: { relationship: Miss['relationship'] }) {
  const { data } = useQuery(storedQuery(relationship))
  if (!data) return null
  return (
    <p className="mt-2">
      Replaces <RelationshipText relationship={data} isNew />.
    </p>
  )
}
