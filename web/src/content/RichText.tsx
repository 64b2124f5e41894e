import './rich-text.css'

interface RichTextProps {
  /** HTML that the server has sanitised. */
  html: string
  locale?: string | undefined
}

/** A text of the administrators within a page, whose heading of level 1 is another. */
export function RichText({ html, locale }: RichTextProps) {
  const below = html.replace(/^<h1>(.*?)<\/h1>/, '<h2>$1</h2>')
  return <div className="rich" lang={locale} dir="auto" dangerouslySetInnerHTML={{ __html: below }} />
}
