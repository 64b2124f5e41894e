import type { Trace } from '@passport/contract/permission-terms'
import { type Decision, decisionOf } from '@passport/permissions/decision'
import { TraceLine } from './TraceLine.tsx'

/** What decided the answer, from the resource down to the subject; where more than one thing did, side by side. */
export function TracePath({ trace }: { trace: Trace }) {
  return (
    <div className="overflow-x-auto border-t border-line px-5 py-5">
      <Step decision={decisionOf(trace)} />
    </div>
  )
}

const edges = {
  hasPermission: 'border-l-ok',
  noPermission: 'border-l-bad',
  conditional: 'border-l-warn',
}

function Step({ decision: { trace, branches } }: { decision: Decision<Trace> }) {
  const isDeadEnd = branches.length === 0 && trace.children.length > 0
  return (
    <div className="grid w-fit max-w-full justify-items-start">
      <div className={`rounded-ctl border border-line border-l-3 bg-card px-3 py-1.5 ${edges[trace.permissionship]}`}>
        <TraceLine trace={trace} />
        {isDeadEnd && <p className="mt-0.5 text-[13px] text-ink2">{deadEnd(trace)}</p>}
      </div>
      {branches.length > 0 && (
        <>
          <span aria-hidden="true" className="ml-6 h-4 w-px bg-edge" />
          <ol className={branches.length > 1 ? 'flex flex-wrap items-start gap-4 border-l border-edge pl-4 ml-6' : ''}>
            {branches.map((branch, at) => (
              <li key={at} className="min-w-0">
                {branches.length > 1 && (
                  <p className="mb-1 text-[12px] font-[600] text-ink3">{roleOf(trace, branch, at)}</p>
                )}
                <Step decision={branch} />
              </li>
            ))}
          </ol>
        </>
      )}
    </div>
  )
}

const deadEnd = ({ children }: Trace): string =>
  children.length === 1 ? 'The only branch says no.' : `None of ${children.length} branches says yes.`

/** What a branch is to the operator above it. */
function roleOf({ step }: Trace, { trace }: Decision<Trace>, at: number): string {
  const isBan = step.kind === 'exclusion' && at > 0
  if (isBan) return trace.permissionship === 'noPermission' ? 'and not taken away by' : 'but taken away by'
  if (step.kind === 'exclusion') return 'granted by'
  return at === 0 ? 'where' : 'and'
}
