import type { Trace } from '@passport/contract/permission-terms'
import { useState } from 'react'
import { Button } from '../ui/Button.tsx'
import { TraceLine } from './TraceLine.tsx'

/** So many branches are shown at once: a relation may have thousands. */
const shownAtOnce = 20

/** Everything that was looked at; what decided the answer is open. */
export function TraceTree({ trace }: { trace: Trace }) {
  return (
    <div className="overflow-x-auto border-t border-line px-5 py-3">
      <div className="min-w-[30rem]">
        <Branch trace={trace} isDecisive />
      </div>
    </div>
  )
}

function Branch({ trace, isDecisive }: { trace: Trace; isDecisive: boolean }) {
  if (trace.children.length === 0) {
    return (
      <div className="py-1 pl-[18px]">
        <TraceLine trace={trace} />
      </div>
    )
  }
  return (
    <details open={isDecisive}>
      <summary className="cursor-pointer py-1 marker:text-ink3">
        <span className="inline-block max-w-[calc(100%-1.25rem)] align-top">
          <TraceLine trace={trace} />
        </span>
      </summary>
      <Branches trace={trace} isDecisive={isDecisive} />
    </details>
  )
}

function Branches({ trace, isDecisive }: { trace: Trace; isDecisive: boolean }) {
  const [shown, setShown] = useState(shownAtOnce)
  const { children } = trace
  // Of a refusal every branch is a part; of a yes those that say yes.
  const isOpen = (child: Trace) =>
    isDecisive && (trace.permissionship === 'noPermission' || child.permissionship !== 'noPermission')
  return (
    <ul className="ml-[5px] border-l border-line pl-3">
      {children.slice(0, shown).map((child, at) => (
        <li key={at}>
          <Branch trace={child} isDecisive={isOpen(child)} />
        </li>
      ))}
      {children.length > shown && (
        <li className="py-1">
          <Button isSmall onClick={() => setShown(shown + 200)}>
            Show {Math.min(200, children.length - shown)} more of {children.length}
          </Button>
        </li>
      )}
    </ul>
  )
}
