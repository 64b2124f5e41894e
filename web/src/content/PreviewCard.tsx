import { type ContentFields, type ContentSlug, previewContent } from '@passport/contract/content'
import type { ResponseData } from '@passport/contract/endpoint'
import { useEffect, useState } from 'react'
import { call, toFailure } from '../app/api.ts'
import { brandName } from '../app/brand.ts'
import { Card } from '../ui/Card.tsx'
import { Identicon } from '../ui/Identicon.tsx'
import { Segmented } from '../ui/Segmented.tsx'
import type { BuiltIn } from './built-in.ts'
import { RichText } from './RichText.tsx'

const debounceMs = 300
type Theme = 'light' | 'dark'
const themes = [
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
] as const

interface PreviewCardProps {
  slug: ContentSlug
  locale: string
  fields: ContentFields
  builtIn: BuiltIn
}

/** The text as readers will see it, rendered by the server while it is typed. */
export function PreviewCard({ slug, locale, fields: { title, body }, builtIn }: PreviewCardProps) {
  const [theme, setTheme] = useState<Theme>(() =>
    matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light',
  )
  const { html, notes, problem } = usePreviewHtml(title, body)
  return (
    <Card title="Preview" action={<Segmented label="Theme" value={theme} options={themes} onChange={setTheme} />}>
      <div className="px-4 pb-[18px] sm:px-[18px]">
        <div
          data-theme={theme}
          className="rounded-box grid grid-cols-[minmax(0,1fr)] border border-line bg-paper p-4 text-ink min-[1100px]:min-h-[420px] min-[1100px]:place-content-center"
        >
          <div className="mx-auto w-full max-w-md rounded-box border border-line bg-card px-5 py-6 text-[14px]">
            <Place slug={slug}>
              {html ? (
                <RichText html={html} locale={locale} />
              ) : (
                <p className={builtIn.text ? 'text-ink2' : 'text-center text-ink3'}>
                  {builtIn.title && <strong className="mb-2 block text-[18px] text-ink">{builtIn.title}</strong>}
                  {builtIn.text ?? 'Your text appears here. Without one, nothing does.'}
                </p>
              )}
            </Place>
          </div>
        </div>
        <p role="status" className="mt-2 text-[13px] text-ink2 empty:hidden">
          {problem ?? notes}
        </p>
      </div>
    </Card>
  )
}

/** The page around a text, in outline. */
function Place({ slug, children }: { slug: ContentSlug; children: React.ReactNode }) {
  if (slug === 'home.signedIn' || !slug.includes('.')) return children
  const heading =
    slug === 'join.notice' ? 'You are invited to …' : slug === 'login.notice' ? `Sign in to ${brandName}` : brandName
  return (
    <>
      <div className="mb-3 grid justify-items-center gap-2 text-center">
        <Identicon seed="stage" size={44} isGold />
        <p className="text-[18px] font-[640]">{heading}</p>
      </div>
      {slug === 'home.signedOut' ? (
        <div className="text-center">{children}</div>
      ) : (
        <div className="rounded-box bg-well px-3.5 py-3">{children}</div>
      )}
      {/* The rest of the page. */}
      <p aria-hidden="true" className="btn btn-primary mt-4 w-full">
        {slug === 'join.notice' ? 'Join' : 'Sign in'}
      </p>
    </>
  )
}

/** Returns the HTML of a text once typing pauses; the earlier one with a sentence if it cannot be rendered. */
function usePreviewHtml(title: string, body: string): { html: string; notes: string; problem: string | undefined } {
  const [html, setHtml] = useState('')
  const [notes, setNotes] = useState('')
  const [problem, setProblem] = useState<string>()
  useEffect(() => {
    if (body.trim() === '') {
      setHtml('')
      setNotes('')
      setProblem(undefined)
      return undefined
    }
    const stop = new AbortController()
    const timer = setTimeout(async () => {
      try {
        const preview = await call(previewContent, { body: { title, body } }, { signal: stop.signal })
        setHtml(preview.html)
        setNotes(describeDropped(preview))
        setProblem(undefined)
      } catch (error) {
        if (!stop.signal.aborted) setProblem(`The preview is not current: ${toFailure(error).detail}`)
      }
    }, debounceMs)
    return () => {
      clearTimeout(timer)
      stop.abort()
    }
  }, [title, body])
  return { html, notes, problem }
}

/** Describes to the author what readers do not get as it is written. */
function describeDropped({ droppedElements, droppedLinks }: ResponseData<typeof previewContent>): string {
  return [
    droppedElements.length > 0 &&
      `Only the text of HTML is shown: ${droppedElements.map((name) => `<${name}>`).join(', ')}.`,
    droppedLinks.length > 0 &&
      `Not links, because they begin with none of https://, mailto:, # and /: ${droppedLinks.join(', ')}.`,
  ]
    .filter(Boolean)
    .join(' ')
}
