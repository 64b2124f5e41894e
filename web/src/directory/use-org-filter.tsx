import { getOrg } from '@passport/contract/orgs'
import { useQuery } from '@tanstack/react-query'
import { Suspense, useState } from 'react'
import { query } from '../app/api.ts'
import { lazyPart } from '../ui/lazy-part.tsx'
import { Panel } from '../ui/Panel.tsx'
import type { Pickable } from '../ui/Picker.tsx'
import type { ListFilter } from './list-page.ts'

const OrgPicker = lazyPart(async () => (await import('./OrgPicker.tsx')).OrgPicker)

/** Returns the organisation filter: a picker, since there can be too many organisations for a select. */
export function useOrgFilter(orgId: string | undefined, onPick: (orgId: string | undefined) => void): ListFilter {
  const { data: org } = useQuery({
    ...query(getOrg, { params: { orgId: orgId ?? '' } }),
    enabled: orgId !== undefined,
    retry: false,
  })
  // The picker's code is loaded on first use.
  const [wasOpened, setWasOpened] = useState(false)
  const picked: Pickable[] = orgId === undefined ? [] : [{ id: orgId, name: org?.name ?? orgId, kind: 'org' }]
  return {
    name: 'org',
    label: 'Organisation',
    options: picked.map(({ id, name }) => ({ value: id, label: name })),
    renderControl: (className, content) => (
      <Panel
        label={picked[0] ? `Organisation: ${picked[0].name}` : 'Any organisation'}
        trigger={content}
        className={className}
        onOpen={() => setWasOpened(true)}
      >
        <div className="min-h-[min(30rem,50dvh+5rem)] w-72 max-w-full">
          {wasOpened && (
            <Suspense>
              <OrgPicker picked={picked} onPick={onPick} />
            </Suspense>
          )}
        </div>
      </Panel>
    ),
  }
}
