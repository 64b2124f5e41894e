import { listPermissionsOfSubject } from '@passport/contract/permissions'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { query } from '../app/api.ts'
import { Loaded } from '../app/Loaded.tsx'
import type { CheckQuestion, CheckSearch } from '../permissions/check-search.ts'
import { printReference } from '../permissions/reference.ts'
import { Verdict } from '../permissions/Verdict.tsx'
import { Card } from '../ui/Card.tsx'

/** Queries all permissions of the question's subject on its resource. */
export const permissionGridQuery = ({ permission: _, ...body }: CheckQuestion) =>
  query(listPermissionsOfSubject, { body })

/** All permissions and relations of the resource, and whether the subject has them. */
export function PermissionGrid({ question, search }: { question: CheckQuestion; search: CheckSearch }) {
  const grid = useQuery({
    ...permissionGridQuery(question),
    // Another question has another card. For the same one, the previous answers stay while loading.
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
          search={{ subject: printReference(question.subject) } as never}
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
