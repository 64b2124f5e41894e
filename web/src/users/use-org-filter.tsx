import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense, useState } from 'react'
import type { ListFilter } from '../directory/list-page.ts'
import { Panel } from '../ui/Panel.tsx'
import type { Pickable } from '../ui/Picker.tsx'

/** Loaded when the panel is opened, because few users filter by organisation. */
const OrgPicker = lazy(async () => ({ default: (await import('./OrgPicker.tsx')).OrgPicker }))

/** Returns the organisation filter. It is a picker, since a select could have too many options. */
export function useOrgFilter(orgId: string | undefined, onPick: (orgId: string | undefined) => void): ListFilter {
  const { data: name } = useQuery({
    queryKey: ['org-name', orgId],
    queryFn: async () => (await import('./org-name.ts')).loadOrgName(orgId ?? ''),
    enabled: orgId !== undefined,
    retry: false,
  })
  const [wasOpened, setWasOpened] = useState(false)
  const picked: Pickable[] = orgId === undefined ? [] : [{ id: orgId, name: name ?? orgId }]
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
            <Suspense>
              <OrgPicker picked={picked} onPick={onPick} />
            </Suspense>
          )}
        </div>
      </Panel>
    ),
  }
}
