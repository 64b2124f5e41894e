import type { Trace } from '@passport/contract/permission-terms'
import { ChevronRight } from 'lucide-react'
import { useId, useState } from 'react'
import { Button } from '../ui/Button.tsx'
import { TraceLine } from './TraceLine.tsx'

/** The number of branches shown at first: a relation may have thousands. */
const initialCount = 20
const moreCount = 200

/** The whole trace; decisive nodes are open. */
export function TraceTree({ trace }: { trace: Trace }) {
  return (
    <div className="overflow-x-auto border-t border-line px-4 py-3 max-sm:px-2">
      <div className="sm:min-w-[30rem]">
        <Branch trace={trace} isDecisive />
      </div>
    </div>
  )
}

function Branch({ trace, isDecisive }: { trace: Trace; isDecisive: boolean }) {
  const id = useId()
  const [isOpen, setOpen] = useState(isDecisive)
  const isLeaf = trace.children.length === 0
  return (
    <>
      <div className="flex items-start">
        {isLeaf ? (
          <span className="w-[24px] shrink-0 pointer-coarse:w-[36px]" />
        ) : (
          <button
            type="button"
            aria-label="Details"
            aria-expanded={isOpen}
            aria-controls={isOpen ? id : undefined}
            className="group grid size-[24px] shrink-0 pointer-coarse:size-[36px] place-items-center rounded-md text-ink3 hover:bg-well hover:text-ink"
            onClick={() => setOpen(!isOpen)}
          >
            <ChevronRight size={14} aria-hidden="true" className="group-aria-expanded:rotate-90" />
          </button>
        )}
        <div className="min-w-0 py-0.5 pointer-coarse:py-2">
          <TraceLine trace={trace} />
        </div>
      </div>
      {!isLeaf && isOpen && <Branches id={id} trace={trace} isDecisive={isDecisive} />}
    </>
  )
}

function Branches({ id, trace, isDecisive }: { id: string; trace: Trace; isDecisive: boolean }) {
  const [count, setCount] = useState(initialCount)
  const { children } = trace
  // Every branch of a denial is decisive; of a grant, only those that grant.
  const isOpen = (child: Trace) =>
    isDecisive && (trace.permissionship === 'noPermission' || child.permissionship !== 'noPermission')
  return (
    <ul id={id} className="ml-[11px] border-l border-line pl-1.5 max-sm:ml-1.5 max-sm:pl-0">
      {children.slice(0, count).map((child, index) => (
        <li key={index}>
          <Branch trace={child} isDecisive={isOpen(child)} />
        </li>
      ))}
      {children.length > count && (
        <li className="py-1 pl-6">
          <Button isSmall onClick={() => setCount(count + moreCount)}>
            Show {Math.min(moreCount, children.length - count)} more of {children.length}
          </Button>
        </li>
      )}
    </ul>
  )
}
