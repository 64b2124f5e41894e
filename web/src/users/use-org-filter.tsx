import { getOrg } from '@passport/contract/orgs'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { query } from '../app/api.ts'
import { searchOrgs } from '../directory/find-records.ts'
import type { ListFilter } from '../directory/list-page.ts'
import { Panel } from '../ui/Panel.tsx'
import { type Pickable, Picker } from '../ui/Picker.tsx'

/** Returns the organisation filter. It is a picker, since a select could have too many options. */
export function useOrgFilter(orgId: string | undefined, onPick: (orgId: string | undefined) => void): ListFilter {
  const { data: org } = useQuery({
    ...query(getOrg, { params: { orgId: orgId ?? '' } }),
    enabled: orgId !== undefined,
    retry: false,
  })
  /** The picker loads its implementation when it is rendered, and few users filter by organisation. */
  const [wasOpened, setWasOpened] = useState(false)
  const picked: Pickable[] = orgId === undefined ? [] : [{ id: orgId, name: org?.name ?? orgId, kind: 'org' }]
  return {
    name: 'org',
    label: 'Organisation',
    options: picked.map(({ id, name }) => ({ value: id, label: name })),
    renderControl: (className, content) => (
      <Panel
        label={picked[0] ? `Organisation: ${picked[0].name}` : 'Organisation'}
        trigger={content}
        className={className}
        onOpen={() => setWasOpened(true)}
      >
        <div className="min-h-[min(30rem,50dvh+5rem)] w-72 max-w-full">
          {wasOpened && (
            <Picker
              isListOpen
              label="Organisation"
              placeholder="Name, slug or ID"
              search={searchOrgs}
              picked={picked}
              // Another pick replaces the first.
              onPick={(all) => onPick(all.at(-1)?.id)}
            />
          )}
        </div>
      </Panel>
    ),
  }
}
