import type { Miss } from '@passport/contract/permissions'
import { useQuery } from '@tanstack/react-query'
import { Confirm } from '../ui/Dialog.tsx'
import { storedQuery } from './change.ts'
import { RelationshipText } from './RelationshipText.tsx'

interface ConfirmMissProps {
  /** What shall be written; undefined while nothing is asked. */
  miss: Miss | undefined
  isBusy: boolean
  onConfirm: (miss: Miss) => void
  onClose: () => void
}

/** Asks before a relationship is written that would turn an answer round. */
export function ConfirmMiss({ miss, isBusy, onConfirm, onClose }: ConfirmMissProps) {
  return (
    <Confirm
      isOpen={miss !== undefined}
      title={miss?.change === 'remove' ? 'Remove this relationship?' : 'Add this relationship?'}
      action={miss?.change === 'remove' ? 'Remove it' : 'Add it'}
      look={miss?.change === 'remove' ? 'danger' : 'primary'}
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
          <p className="mt-2">It counts at once, for every question that it has a part in. It can be undone.</p>
        </>
      )}
    </Confirm>
  )
}

/** What is there already under another condition, or until another time: an addition takes its place. */
function Replaced({ relationship }: { relationship: Miss['relationship'] }) {
  const { data } = useQuery(storedQuery(relationship))
  if (!data) return null
  return (
    <p className="mt-2">
      It takes the place of <RelationshipText relationship={data} isNew />.
    </p>
  )
}
