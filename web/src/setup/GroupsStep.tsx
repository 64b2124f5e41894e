import * as api from '@passport/contract/setup'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { toFailure } from '../app/api.ts'
import { useKept } from '../app/use-kept.ts'
import { GuestCheck, MappingEditor } from '../entra/MappingEditor.tsx'
import { emptyEntry, isEmptyEntry, type MappingEntry } from '../entra/mappings.ts'
import { StepFoot } from '../entra/StepList.tsx'
import { Card } from '../ui/Card.tsx'
import { Empty } from '../ui/Empty.tsx'
import { ErrorCard } from '../ui/ErrorCard.tsx'
import { setupCall, setupQuery } from './call.ts'
import type { StepProps } from './steps.ts'

/** The second step: which groups of the tenant become members of which groups here. Optional. */
export function GroupsStep({ state, onGo }: StepProps) {
  const { org, brand, tenant, mappings, otherMappings, groups } = state
  const queryClient = useQueryClient()
  const saved: api.SetupSettings = { allowGuests: tenant.allowGuests, mappings }
  const [draft, setDraft] = useKept<api.SetupSettings>(`setup-settings:${org.id}`)
  const settings = draft ?? saved
  const [entry = emptyEntry, setEntry] = useKept<MappingEntry>(`setup-mapping:${org.id}`)
  const [isEntryLeft, setEntryLeft] = useState(false)
  const save = useMutation({
    mutationFn: () =>
      setupCall(api.putSetupSettings, { body: { ...tenant, ...settings } }, { ifMatch: `"${state.version}"` }),
    onSuccess: (state) => {
      queryClient.setQueryData(setupQuery.queryKey, state)
      leave()
    },
    // After a conflict, the next attempt is for the current state.
    onError: () => queryClient.invalidateQueries(setupQuery),
  })
  const leave = () => {
    setDraft(undefined)
    setEntry(undefined)
    onGo('provisioning')
  }
  const finish = () => {
    if (!isEmptyEntry(entry)) return setEntryLeft(true)
    if (draft && JSON.stringify(draft) !== JSON.stringify(saved)) save.mutate()
    else leave()
  }
  return (
    <>
      <Card
        title="Groups"
        description={`Members of your Entra groups join groups of ${brand.name} when they sign in. Optional.`}
      >
        {groups.length === 0 && settings.mappings.length === 0 ? (
          <Empty kind="nothing yet" title="No groups to choose from">
            {brand.name} has no groups for {org.name} yet. You can continue, and add them later.
          </Empty>
        ) : (
          <MappingEditor
            mappings={settings.mappings}
            groups={groups}
            error={save.error ?? undefined}
            entry={entry}
            isEntryLeft={isEntryLeft}
            onEntryChange={(entry) => {
              setEntryLeft(false)
              setEntry(entry)
            }}
            onChange={(mappings) => setDraft({ ...settings, mappings: mappings as api.SetupMapping[] })}
          />
        )}
        {otherMappings > 0 && (
          <p className="border-t border-hair px-4 py-3 text-[13px] text-ink2 sm:px-[18px]">
            {brand.name} manages {otherMappings === 1 ? '1 more mapping' : `${otherMappings} more mappings`}.
          </p>
        )}
      </Card>
      <Card title="Guests">
        <GuestCheck isOn={settings.allowGuests} onChange={(allowGuests) => setDraft({ ...settings, allowGuests })} />
      </Card>
      {save.error && <ErrorCard failure={toFailure(save.error, 'save the mappings')} />}
      <StepFoot onBack={() => onGo('consent')} action="Continue" isBusy={save.isPending} onContinue={finish} />
    </>
  )
}
