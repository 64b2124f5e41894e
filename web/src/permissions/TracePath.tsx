import type { Trace } from '@passport/contract/permission-terms'
import { type Decision, extractDecision } from '@passport/permissions'
import { TraceLine } from './TraceLine.tsx'

/** The decisive nodes of a trace, from the resource to the subject; several branches are shown side by side. */
export function TracePath({ trace }: { trace: Trace }) {
  return (
    <div className="overflow-x-auto border-t border-line px-5 py-5">
      <Step decision={extractDecision(trace)} />
    </div>
  )
}

const borderClasses = {
  hasPermission: 'border-l-ok',
  noPermission: 'border-l-bad',
  conditional: 'border-l-warn',
}

function Step({ decision: { trace, branches } }: { decision: Decision<Trace> }) {
  const isDeadEnd = branches.length === 0 && trace.children.length > 0
  return (
    <div className="grid w-fit max-w-full justify-items-start">
      <div
        className={`rounded-ctl border border-line border-l-3 bg-card px-3 py-1.5 ${borderClasses[trace.permissionship]}`}
      >
        <TraceLine trace={trace} />
        {isDeadEnd && <p className="mt-0.5 text-[13px] text-ink2">{describeDeadEnd(trace)}</p>}
      </div>
      {branches.length > 0 && (
        <>
          <span aria-hidden="true" className="ml-6 h-4 w-px bg-edge" />
          <ol className={branches.length > 1 ? 'flex flex-wrap items-start gap-4 border-l border-edge pl-4 ml-6' : ''}>
            {branches.map((branch, index) => (
              <li key={index} className="min-w-0">
                {branches.length > 1 && (
                  <p className="mb-1 text-[12px] font-[600] text-ink3">{describeRole(trace, branch, index)}</p>
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

const describeDeadEnd = ({ children }: Trace): string =>
  children.length === 1 ? 'The only branch is denied.' : `None of ${children.length} branches is allowed.`

/** Describes the role of a branch under its operator. */
function describeRole({ step }: Trace, { trace }: Decision<Trace>, index: number): string {
  const isBan = step.kind === 'exclusion' && index > 0
  if (isBan) return trace.permissionship === 'noPermission' ? 'and not excluded by' : 'but excluded by'
  if (step.kind === 'exclusion') return 'granted by'
  return index === 0 ? 'where' : 'and'
}
