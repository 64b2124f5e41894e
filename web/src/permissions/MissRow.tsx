import type { Miss } from '@passport/contract/permissions'
import { printRelationship } from '@passport/permissions/relationship-text'
import { Button } from '../ui/Button.tsx'
import { RelationshipText } from './RelationshipText.tsx'
import { isOfDirectory } from './schema.ts'
import { supposeToo } from './supposition.ts'

interface MissRowProps {
  miss: Miss
  /** Asks whether it shall be written; left out where it can only be supposed. */
  onAsk: ((miss: Miss) => void) | undefined
}

/** One relationship that would turn the answer round, to be supposed or written. */
export function MissRow({ miss, onAsk }: MissRowProps) {
  const { change, relationship, partialCaveatMissing: missing } = miss
  const isAdded = change === 'add'
  const isKept = isOfDirectory(relationship.resource.type)
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-1.5 border-t border-line py-2.5 first:border-t-0">
      <p className="min-w-0 flex-1 basis-64">
        <span className="mr-2 font-[560]">{isAdded ? 'Add' : 'Remove'}</span>
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
          look="ghost"
          aria-label={`Suppose ${isAdded ? '' : 'without '}${printRelationship(relationship)}`}
          onClick={() => supposeToo(isAdded ? { add: [relationship] } : { remove: [relationship] })}
        >
          Suppose
        </Button>
        {onAsk && isKept && <span className="text-[13px] text-ink3">Kept by the directory, and changed there.</span>}
        {onAsk && !isKept && (
          <Button
            isSmall
            look={isAdded ? 'plain' : 'danger'}
            aria-label={`${isAdded ? 'Add' : 'Remove'} ${printRelationship(relationship)}`}
            onClick={() => onAsk(miss)}
          >
            {isAdded ? 'Add' : 'Remove'}
          </Button>
        )}
      </div>
    </li>
  )
}
