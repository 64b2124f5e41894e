import { listPermissionsOfSubject } from '@passport/contract/permissions'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { query } from '../app/api.ts'
import { Loaded } from '../app/Loaded.tsx'
import type { CheckSearch, TimedQuestion } from '../permissions/check-search.ts'
import { ObjectName } from '../permissions/ObjectName.tsx'
import { printReference } from '../permissions/reference.ts'
import { Verdict } from '../permissions/Verdict.tsx'
import type { WhatIfState } from '../permissions/what-if.ts'
import { Card } from '../ui/Card.tsx'

/** All permissions and relations of the resource, and whether the subject has them. */
export function PermissionGrid({
  question,
  whatIf,
  search,
}: {
  question: TimedQuestion
  /** The supposition of the answer. */
  whatIf: WhatIfState | undefined
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
    // Another question has another card; for the same one, the previous answers stay while loading.
    placeholderData: keepPreviousData,
    staleTime: 0,
    retry: false,
  })
  return (
    <Card
      title="All permissions"
      description={
        <>
          For {printReference(subject)}
          <ObjectName {...subject} /> on {printReference(resource)}
          <ObjectName {...resource} />.
        </>
      }
    >
      <Loaded query={grid} label="Loading all permissions" rows={2} rowClass="h-9">
        {({ items }) => (
          <ul
            aria-busy={grid.isFetching || undefined}
            className="grid overflow-hidden rounded-b-box border-t border-line sm:grid-cols-2 lg:grid-cols-3 xl:grid-cols-4"
          >
            {items.map(({ name, kind, permissionship, partialCaveatMissing, error }) => (
              <li key={name} className="-mr-px -mb-px border-r border-b border-line px-5 py-3">
                <Link
                  to="."
                  search={{ ...search, permission: name } as never}
                  resetScroll={false}
                  aria-current={name === question.permission ? 'true' : undefined}
                  className="link inline-block py-0.5 leading-5 font-mono text-[13px] [overflow-wrap:anywhere] pointer-coarse:py-2"
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
