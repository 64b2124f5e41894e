import { type EntraSettings, putEntra } from '@passport/contract/entra'
import type { OrgEntra } from '@passport/contract/org-entra'
import { getOrg } from '@passport/contract/orgs'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call, toFailure } from '../app/api.ts'
import { Cancelled } from '../app/reauthentication.ts'
import { useKept } from '../app/use-kept.ts'
import { usePreview } from '../directory/use-preview.tsx'
import { Card } from '../ui/Card.tsx'
import { ErrorCard } from '../ui/ErrorCard.tsx'
import { GuestCheck, MappingEditor } from './MappingEditor.tsx'
import { emptyEntry, isEmptyEntry, type MappingEntry } from './mappings.ts'
import { StepFoot } from './StepList.tsx'
import type { EntraOrg, StepProps } from './wizard.ts'

/** The third step: what groups and app roles of the tenant give, and whether guests may sign in. */
export function GroupsStep({ org, onGo }: StepProps) {
  const { id, entra } = org
  const saved = settingsOf(entra)
  const [draft, setDraft] = useKept<EntraSettings>(`entra-settings:${id}`)
  const settings = draft ?? saved
  const { save, isSaving, error, dialog } = useSaveSettings()

  const [entry = emptyEntry, setEntry] = useKept<MappingEntry>(`entra-mapping:${id}`)
  const [isEntryLeft, setEntryLeft] = useState(false)

  async function finish() {
    if (!isEmptyEntry(entry)) return setEntryLeft(true)
    if (draft && !isSame(draft, saved) && !(await save(org, draft))) return
    setDraft(undefined)
    setEntry(undefined)
    onGo('review')
  }

  return (
    <>
      <Card
        title="Groups and roles"
        description={`What users get when they sign in, by their groups and app roles at ${entra.displayName}. Optional.`}
      >
        <MappingEditor
          mappings={settings.mappings}
          error={error}
          entry={entry}
          isEntryLeft={isEntryLeft}
          onEntryChange={(entry) => {
            setEntryLeft(false)
            setEntry(entry)
          }}
          onChange={(mappings) => setDraft({ ...settings, mappings })}
        />
      </Card>
      <Card title="Guests">
        <GuestCheck isOn={settings.allowGuests} onChange={(allowGuests) => setDraft({ ...settings, allowGuests })} />
      </Card>
      {error && <ErrorCard failure={toFailure(error, 'save the mappings')} />}
      <StepFoot onBack={() => onGo('consent')} action="Continue" isBusy={isSaving} onContinue={() => void finish()} />
      {dialog}
    </>
  )
}

/** Returns the settings of a tenant that are edited together. */
export const settingsOf = ({ allowGuests, mappings }: OrgEntra): EntraSettings => ({ allowGuests, mappings })

const isSame = (a: EntraSettings, b: EntraSettings): boolean => JSON.stringify(a) === JSON.stringify(b)

/** Saves mappings and guests, after a preview of the users who would gain or lose roles. */
export function useSaveSettings() {
  const queryClient = useQueryClient()
  const { change, dialog } = usePreview()
  const [isSaving, setSaving] = useState(false)
  const [error, setError] = useState<Error>()

  /** Resolves with whether the settings of the organisation, as it was opened, were saved. */
  async function save(opened: EntraOrg, settings: EntraSettings): Promise<boolean> {
    setSaving(true)
    setError(undefined)
    const params = { orgId: opened.id }
    try {
      // The version changes with each user who signs in for the first time, too.
      const latest = await call(getOrg, { params })
      const isUnchanged = latest.entra && isSame(settingsOf(latest.entra), settingsOf(opened.entra))
      const { entra, version } = isUnchanged ? latest : opened
      const body = { ...entra, ...settings }
      const options = { ifMatch: `"${version}"` }
      const saved = await change((query) => call(putEntra, { params, query, body }, options), {
        title: 'Save the mappings?',
        action: 'Save',
      })
      await queryClient.invalidateQueries()
      return saved !== undefined
    } catch (error) {
      if (!(error instanceof Cancelled)) setError(error as Error)
      return false
    } finally {
      setSaving(false)
    }
  }
  return { save, isSaving, error, dialog }
}
