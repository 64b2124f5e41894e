import { Link } from '@tanstack/react-router'
import { ArrowRight } from 'lucide-react'
import { type ObjectKind, Picture } from '../ui/ObjectIcon.tsx'
import type { LinkTo } from './list-page.ts'

/** A step of a path: a user, a group, an organisation or a role. */
export interface PathStep {
  kind: ObjectKind
  id: string
  name: string
  /** Shown instead of the name, such as “You”. */
  label?: string
  link?: LinkTo
}

/**
 * The reason for an access, as the path from the user to the role: “Eve → Front of House → Event.Host”. On a phone the
 * user is a picture, so that most paths have one line.
 */
export function AccessPath({ steps }: { steps: PathStep[] }) {
  return (
    <span className="flex min-w-0 flex-wrap items-center gap-x-2 gap-y-1.5">
      {steps.map((step, index) => (
        // With its arrow, so that no line ends with one.
        <span key={`${step.kind}:${step.id}`} className="inline-flex min-w-0 items-center gap-x-2">
          {index > 0 && <ArrowRight size={13} className="shrink-0 text-ink3" role="img" aria-label="to" />}
          <span className="inline-flex min-w-0 items-center gap-1.5">
            <Picture kind={step.kind} id={step.id} name={step.name} size={22} />
            {step.link ? (
              <Link
                to={step.link.to}
                params={step.link.params as never}
                className="min-w-0 break-words hover:underline"
              >
                {step.label ?? step.name}
              </Link>
            ) : (
              <span className={`min-w-0 break-words ${step.kind === 'user' ? 'max-sm:sr-only' : ''}`}>
                {step.label ?? step.name}
              </span>
            )}
          </span>
        </span>
      ))}
    </span>
  )
}
