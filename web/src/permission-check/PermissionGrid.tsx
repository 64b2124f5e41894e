import { listPermissionsOfSubject } from '@passport/contract/permissions'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { query } from '../app/api.ts'
import { Loaded } from '../app/Loaded.tsx'
import type { CheckSearch, TimedQuestion } from '../permissions/check-search.ts'
import { printReference } from '../permissions/reference.ts'
import { Verdict } from '../permissions/Verdict.tsx'
import type { WhatIfState } from '../permissions/what-if.ts'
import { Card } from '../ui/Card.tsx'

/** The subject's permissions on the resource, under a supposition. */
export const gridQuery = (
  { resource, subject, context, consistency }: TimedQuestion,
  whatIf: WhatIfState | undefined,
) =>
  query(listPermissionsOfSubject, {
    body: {
      resource,
      subject,
      ...(context && { context }),
      ...(consistency && { consistency }),
      ...(whatIf && { whatIf }),
    },
  })

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
  const { subject } = question
  const grid = useQuery({
    ...gridQuery(question, whatIf),
    // Another question has another card; for the same one, the previous answers stay while loading.
    placeholderData: keepPreviousData,
    staleTime: 0,
    retry: false,
  })
  return (
    <Card
      title="All permissions"
      action={
        <Link
          to="/admin/tools/permissions/lookupResources"
          search={{ subject: printReference(subject) } as never}
          className="link text-[13px] leading-6"
        >
          All resources
        </Link>
      }
    >
      <Loaded query={grid} label="Loading all permissions" rows={5} rowClass="h-9">
        {({ items }) => (
          <ul aria-busy={grid.isFetching || undefined} className="pb-1.5">
            {items.map(({ name, kind, permissionship, partialCaveatMissing, error }) => (
              <li
                key={name}
                className="flex min-h-[46px] flex-wrap items-center gap-x-3 border-t border-hair px-4 py-1 first:border-t-0 sm:px-[18px]"
              >
                <span className="min-w-0 flex-1">
                  <Link
                    to="."
                    search={{ ...search, permission: name } as never}
                    resetScroll={false}
                    aria-current={name === question.permission ? 'true' : undefined}
                    className="inline-block py-1 font-mono text-[13px] font-[560] [overflow-wrap:anywhere] hover:underline aria-[current]:text-foil-text pointer-coarse:py-3"
                  >
                    {name}
                  </Link>
                  {kind === 'relation' && <span className="text-[13px] text-ink3"> relation</span>}
                </span>
                {error ? (
                  <span className="text-bad">{error.message}</span>
                ) : (
                  <Verdict permissionship={permissionship} missing={partialCaveatMissing} />
                )}
              </li>
            ))}
          </ul>
        )}
      </Loaded>
    </Card>
  )
}
