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
    control: (
      <Panel
        label={picked[0] ? `Organisation: ${picked[0].name}` : 'Any organisation'}
        trigger={<span className="max-w-40 truncate">{picked[0]?.name ?? 'Any organisation'}</span>}
        className="ctl ctl-select inline-flex w-auto! min-w-32 items-center text-left"
        onOpen={() => setWasOpened(true)}
      >
        <div className="min-h-60 w-72 max-w-full">
          {wasOpened && (
            <Picker
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
