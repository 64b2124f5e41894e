import type { Miss } from '@passport/contract/permissions'
import { printRelationship } from '@passport/permissions'
import { Button } from '../ui/Button.tsx'
import { RelationshipText } from './RelationshipText.tsx'
import { isDirectoryType } from './schema.ts'
import { extendWhatIf } from './what-if.ts'

interface MissRowProps {
  miss: Miss
  /** Asks for confirmation before writing; absent if the change can only be supposed. */
  onWrite: ((miss: Miss) => void) | undefined
}

/** One relationship that would reverse the answer, to be supposed or written. */
export function MissRow({ miss, onWrite }: MissRowProps) {
  const { change, relationship, partialCaveatMissing: missing } = miss
  const isAdded = change === 'add'
  const isManaged = isDirectoryType(relationship.resource.type)
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-1.5 border-t border-line py-2.5 first:border-t-0">
      <p className="min-w-0 flex-1 basis-64">
        <span className="mr-2 font-[560]">{isAdded ? 'Add' : 'Delete'}</span>
        <RelationshipText relationship={relationship} isNew={isAdded} />
        {missing.length > 0 && (
          <span className="ml-2 text-[13px] text-warn">
            needs <code className="font-mono text-[12.5px] [overflow-wrap:anywhere]">{missing.join(', ')}</code>
          </span>
        )}
      </p>
      <div className="flex flex-wrap items-center gap-2">
        <Button
          isSmall
          variant="ghost"
          aria-label={`Try ${isAdded ? '' : 'without '}${printRelationship(relationship)}`}
          onClick={() => extendWhatIf(isAdded ? { add: [relationship] } : { remove: [relationship] })}
        >
          Try
        </Button>
        {onWrite && isManaged && <span className="text-[13px] text-ink3">Managed by the directory</span>}
        {onWrite && !isManaged && (
          <Button
            isSmall
            variant={isAdded ? 'plain' : 'danger'}
            aria-label={`${isAdded ? 'Add' : 'Delete'} ${printRelationship(relationship)}`}
            onClick={() => onWrite(miss)}
          >
            {isAdded ? 'Add' : 'Delete'}
          </Button>
        )}
      </div>
    </li>
  )
}
