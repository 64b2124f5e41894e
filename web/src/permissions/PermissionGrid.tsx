import { listPermissionsOfSubject } from '@passport/contract/permissions'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { query } from '../app/api.ts'
import { Loaded } from '../app/Loaded.tsx'
import { Card } from '../ui/Card.tsx'
import type { CheckSearch, TimedQuestion } from './check-search.ts'
import { printReference } from './reference.ts'
import type { Supposition } from './supposition.ts'
import { Verdict } from './Verdict.tsx'

/** Every permission and relation of the resource, and whether the subject has it. */
export function PermissionGrid({
  question,
  whatIf,
  search,
}: {
  question: TimedQuestion
  /** What the question was answered under. */
  whatIf: Supposition | undefined
  search: CheckSearch
}) {
  const { resource, subject, context, consistency } = question
  const grid = useQuery({
    ...query(listPermissionsOfSubject, {
      body: {
        resource,
        subject,
        ...(context && { context }),
        ...(consistency && { consistency }),
        ...(whatIf && { whatIf }),
      },
    }),
    staleTime: 0,
    retry: false,
  })
  return (
    <Card
      title="All permissions"
      about={
        <>
          Of {printReference(subject)} on {printReference(resource)}.
        </>
      }
    >
      <Loaded query={grid} label="Loading all permissions" rows={2} rowClass="h-9">
        {({ items }) => (
          <ul className="grid overflow-hidden rounded-b-box border-t border-line sm:grid-cols-2 lg:grid-cols-3 xl:grid-cols-4">
            {items.map(({ name, kind, permissionship, partialCaveatMissing, error }) => (
              <li key={name} className="-mr-px -mb-px border-r border-b border-line px-5 py-3">
                <Link
                  to="."
                  search={{ ...search, permission: name } as never}
                  resetScroll={false}
                  aria-current={name === question.permission ? 'true' : undefined}
                  className="link font-mono text-[13px] [overflow-wrap:anywhere]"
                >
                  {name}
                </Link>
                {kind === 'relation' && <span className="text-[13px] text-ink3"> relation</span>}
                <div className="mt-0.5">
                  {error ? (
                    <span className="text-bad">{error.message}</span>
                  ) : (
                    <Verdict permissionship={permissionship} missing={partialCaveatMissing} />
                  )}
                </div>
              </li>
            ))}
          </ul>
        )}
      </Loaded>
    </Card>
  )
}
