import { getOrg } from '@passport/contract/orgs'
import { useQuery } from '@tanstack/react-query'
import { query } from '../app/api.ts'
import { searchOrgs } from '../directory/find-records.ts'
import type { ListFilter } from '../directory/ListPage.tsx'
import { Panel } from '../ui/Panel.tsx'
import type { Pickable } from '../ui/Picker.tsx'
import { Picker } from '../ui/Picker.tsx'

/** Narrows people to an organisation: there may be too many of them for a select. */
export function useOrgFilter(orgId: string | undefined, onPick: (orgId: string | undefined) => void): ListFilter {
  const { data } = useQuery({
    ...query(getOrg, { params: { orgId: orgId ?? '' } }),
    enabled: orgId !== undefined,
    retry: false,
  })
  const picked: Pickable[] = orgId === undefined ? [] : [{ id: orgId, name: data?.name ?? orgId }]
  return {
    name: 'org',
    label: 'Organisation',
    options: picked.map(({ id, name }) => ({ value: id, label: name })),
    control: (
      <Panel
        label={picked[0] ? `Organisation: ${picked[0].name}` : 'Any organisation'}
        trigger={<span className="max-w-40 truncate">{picked[0]?.name ?? 'Any organisation'}</span>}
        className="ctl ctl-select inline-flex w-auto! min-w-32 items-center text-left"
      >
        <div className="min-h-60 w-72 max-w-full">
          <Picker
            label="Organisation"
            placeholder="Name, slug or id"
            search={searchOrgs}
            picked={picked}
            onPick={(all) => onPick(all.at(-1)?.id)}
          />
        </div>
      </Panel>
    ),
  }
}
