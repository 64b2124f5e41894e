import { previewMail, previewMailHtml } from '@passport/contract/mail'
import { type MailKindId, mailKinds, noticeKinds } from '@passport/contract/mail-kinds'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { query, toFailure } from '../app/api.ts'
import { PageMenu } from '../directory/PageMenu.tsx'
import { CodeBlock } from '../ui/CodeBlock.tsx'
import { ErrorCard } from '../ui/ErrorCard.tsx'
import { Segmented } from '../ui/Segmented.tsx'
import { Select } from '../ui/Select.tsx'
import { MailViews } from './MailViews.tsx'

type Theme = 'light' | 'dark'
type Format = 'desktop' | 'phone' | 'text'

const themes = [
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
] as const
const formats = [
  { value: 'desktop', label: 'Desktop' },
  { value: 'phone', label: 'Phone' },
  { value: 'text', label: 'Text' },
] as const

const ids = Object.keys(mailKinds) as MailKindId[]
const groups = [
  { title: 'Notices of changes', kinds: ids.filter((id) => isNotice(id)) },
  { title: 'Other emails', kinds: ids.filter((id) => !isNotice(id)) },
]

function isNotice(id: MailKindId) {
  return (noticeKinds as readonly string[]).includes(id)
}

/** What is shown, in the address. */
function usePreviewState() {
  const search = useSearch({ strict: false }) as Record<string, unknown>
  const navigate = useNavigate()
  const find = <T extends string>(values: readonly T[], value: unknown, fallback: T) =>
    values.find((candidate) => candidate === value) ?? fallback
  const isDark = matchMedia('(prefers-color-scheme: dark)').matches
  return {
    kind: find(ids, search['preview'], 'new-device'),
    example: typeof search['example'] === 'string' ? search['example'] : undefined,
    theme: find<Theme>(['light', 'dark'], search['theme'], isDark ? 'dark' : 'light'),
    format: find<Format>(['desktop', 'phone', 'text'], search['format'], 'desktop'),
    show: (changes: Record<string, string | undefined>) =>
      void navigate({ to: '.', search: { ...search, ...changes } as never, replace: true, resetScroll: false }),
  }
}

/** Each kind of email with examples, as readers see it with the brand of the installation. */
export function Previews() {
  const { kind, show } = usePreviewState()
  return (
    <section>
      <header className="flex items-center justify-between gap-3">
        <div>
          <h1>Mail</h1>
          <p className="mt-1 text-ink2">{ids.length} kinds of email, each as text and as HTML</p>
        </div>
        <PageMenu />
      </header>
      <MailViews />
      <div className="mt-4 grid grid-cols-[minmax(0,1fr)] items-start gap-4 min-[1100px]:grid-cols-[250px_minmax(0,1fr)]">
        <div className="min-[1100px]:hidden">
          <Select
            label="Kind"
            value={kind}
            options={ids.map((id) => ({ value: id, label: mailKinds[id].name }))}
            onChange={({ target }) => show({ preview: target.value, example: undefined })}
          />
        </div>
        <nav aria-label="Kinds of email" className="card py-2 max-[1099px]:hidden">
          {groups.map(({ title, kinds }) => (
            <div key={title}>
              <p className="px-4 pt-2 pb-1 text-[13px] text-ink3">{title}</p>
              {kinds.map((id) => (
                <Link
                  key={id}
                  to="/admin/mail"
                  search={((old: object) => ({ ...old, preview: id, example: undefined })) as never}
                  replace
                  resetScroll={false}
                  activeOptions={{ exact: true, includeSearch: true, explicitUndefined: true }}
                  aria-current={id === kind ? 'true' : undefined}
                  className="block px-4 py-1.5 hover:bg-well aria-[current=true]:bg-selection aria-[current=true]:font-[580]"
                >
                  {mailKinds[id].name}
                </Link>
              ))}
            </div>
          ))}
        </nav>
        <Preview key={kind} />
      </div>
    </section>
  )
}

function Preview() {
  const { kind, example, theme, format, show } = usePreviewState()
  const preview = useQuery({
    ...query(previewMail, { params: { kind }, query: { ...(example && { example }) } }),
    placeholderData: keepPreviousData,
    retry: false,
  })
  const { data, error } = preview
  const examples = data?.examples ?? []
  const { name, when } = mailKinds[kind]
  return (
    <section aria-labelledby="preview" className="card px-4 py-3.5 sm:px-[18px]">
      <div className="flex flex-wrap items-start justify-between gap-x-4 gap-y-3">
        <div className="min-w-0 flex-1 basis-72">
          <h2 id="preview">{name}</h2>
          <p className="mt-0.5 min-h-[40px] text-[13px] text-ink2 sm:min-h-0">{when}</p>
        </div>
        <div className="flex flex-wrap gap-2">
          <Segmented label="Format" value={format} options={formats} onChange={(format) => show({ format })} />
          {format !== 'text' && (
            <Segmented label="Theme" value={theme} options={themes} onChange={(theme) => show({ theme })} />
          )}
        </div>
      </div>
      <div className="mt-3 flex min-h-9 flex-wrap items-center justify-between gap-x-4 gap-y-2 border-t border-hair pt-3">
        <p className="min-w-0 flex-1 basis-60">
          <span className="text-ink3">Subject</span> <b className="font-[580]">{data?.subject}</b>
        </p>
        {examples.length > 1 && (
          <Select
            label="Example"
            isLabelHidden
            value={example ?? examples[0]}
            options={examples.map((value) => ({ value, label: value }))}
            onChange={({ target }) => show({ example: target.value })}
          />
        )}
      </div>
      {error && <ErrorCard failure={toFailure(error, 'load the preview')} onRetry={() => void preview.refetch()} />}
      <div className="mt-3 min-h-[700px]">
        {format === 'text' ? (
          data && <CodeBlock label="the text" text={data.text} isWrapped />
        ) : (
          <iframe
            title={`${name} in the ${theme} theme`}
            // Without scripts, forms, windows and the origin of the console.
            sandbox=""
            src={toFramePath(kind, theme, example)}
            className={`mx-auto block h-[700px] w-full rounded-ctl border border-line ${format === 'phone' ? 'max-w-[390px]' : ''}`}
          />
        )}
      </div>
    </section>
  )
}

const toFramePath = (kind: MailKindId, theme: Theme, example: string | undefined) =>
  `${previewMailHtml.path.replace('{kind}', kind)}?${new URLSearchParams({ theme, ...(example && { example }) })}`
