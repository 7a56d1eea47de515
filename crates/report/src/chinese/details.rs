//! What records say in words, English and Chinese: why a URL ended as it did, why a crawl stopped, what
//! went wrong on the network, and what helps.
//!
//! These sentences are written by the crates below, when a record is made, and stand in the journal in
//! English.

/// Sentences, in the form of [`super::table::TABLE`]; they come before those of the report that would fit
/// them, too.
#[rustfmt::skip]
pub(super) const DETAILS: &[(&str, &str)] = &[
    // Why a crawl or a host stops.
    ("little is left to find: about {} relevant pages are left among {} URLs that wait, beside {} found; the next {} fetches would bring about {}; half as many pages again as were read would bring {} at most, under {} % of those found",
     "值得再找的不多：等待的 {1} 个网址中约有 {0} 个相关页面，已找到 {2} 个；接下来 {3} 次抓取约能带来 {4} 个；再读已读页数的一半最多带来 {5} 个，不到已找到的 {6} %"),
    ("harvest over the last {} pages is {} %, under {} %", "最近 {0} 个页面的收获率为 {1} %，低于 {2} %"),
    ("{} are free at {}, and limits.disk_reserve keeps {}: free some space, then carry on with: {}", "{1} 剩余空间为 {0}，limits.disk_reserve 要留出 {2}：请先腾出空间，再继续：{3}"),
    ("it was asked to hand over; other nodes go on with its hosts", "收到交接的指令，由其他节点继续抓取它的主机"),
    ("it was asked to hand over; other nodes go on with its hosts ({})", "收到交接的指令，由其他节点继续抓取它的主机（{0}）"),
    ("its settings were to be read anew; it goes on with them ({})", "要重新读取设置，随后按新设置继续（{0}）"),
    ("{} is asked again first, in {} s: {}", "最先再次访问 {0}，在 {1} 秒之后：{2}"),
    ("it gives no answer", "没有应答"), ("its robots.txt cannot be had", "取不到 robots.txt"),
    ("all that was left waited on hosts that gave no answer, or no robots.txt; it can go on later ({})", "剩下的网址都在没有应答、或取不到 robots.txt 的主机上，可以以后继续（{0}）"),
    // Answers, and what was read.
    ("the server answered {}, for {}", "服务器返回 {0}，历时 {1}"), ("the answer ({}) broke off, for {}", "应答（{0}）没有收完，历时 {1}"),
    ("{}, for {} s", "{0}，历时 {1} 秒"), ("{}, for {} min", "{0}，历时 {1} 分钟"), ("{}, for {} h", "{0}，历时 {1} 小时"),
    ("the server answered {}", "服务器返回 {0}"), ("it answered with status {}", "服务器返回状态码 {0}"), ("the host could not be reached: {}", "连不上主机：{0}"),
    ("the body ended before its announced end", "正文没有收完，连接就断了"), ("reading the page failed in an unexpected way", "读取页面时程序出错"),
    ("a feed ({}): its links are followed", "订阅源（{0}），会跟踪其中的链接"), ("no sitemap: status {}", "不是站点地图：状态码 {0}"),
    ("it redirects to {}, which was left out: {}", "重定向到 {0}，该网址没有取：{1}"), ("it redirects to {}", "重定向到 {0}"), ("redirects to {}", "重定向到 {0}"), ("redirects", "重定向"),
    ("after {} redirects to {}", "重定向 {0} 次之后到 {1}"), ("the URL redirects to itself", "网址重定向到自身"),
    ("another title, before: {}", "标题变了，先前为：{0}"), ("takes the place of {}: {}", "代替 {0}：{1}"),
    ("longer", "文字更长"), ("published earlier", "发布更早"), ("named as canonical", "被指为规范网址"), ("it is the better copy", "它是更好的副本"),
    ("another node kept the better copy {}", "另一个节点保留了更好的副本 {0}"),
    ("it reads like an error page", "读起来像错误页"), ("it holds no words", "没有文字"),
    ("dropped before: {}; now: {}", "先前丢弃：{0}；现在：{1}"), ("dropped before: {}", "先前丢弃：{0}"),
    ("{}: this says nothing of the page, which is taken to be as it was", "{0}：这说明不了页面的情况，视为未变"),
    ("{}: not yet gone, which takes {} answers of 404 or 410 with time between them; this makes {}, and the next counts from {} on", "{0}：还不能算消失，需要隔开时间的 {1} 次 404 或 410；这是第 {2} 次，下一次从 {3} 起计"),
    ("It redirects to {}.", "重定向到 {0}。"),
    // Bodies that are not whole.
    ("charset: {} declared, {} found", "字符编码：声明为 {0}，实为 {1}"), ("body: part", "正文：服务器只给了一部分"),
    ("the server sent a part of the body unasked", "服务器擅自只给了正文的一部分"), ("the body's compressed stream ended before its end", "正文的压缩数据不完整"),
    ("the body is longer than what is read of one", "正文超过读取的上限"),
    ("limits hit", "触及限制"), ("body: bytes", "正文：超过大小上限"), ("body: time", "正文：超过时间上限"), ("body: disconnect", "正文：没有收完，连接就断了"),
    ("body: shorter than announced, whole by its end", "正文：比声明的短，但有结尾"), ("links_per_page", "每页链接数"),
    ("more than {} content codings", "内容编码超过 {0} 层"), ("more than {} gzip members", "gzip 分段超过 {0} 个"), ("unknown content coding {}", "未知的内容编码 {0}"),
    ("bomb: {} over the bound of {} ({} bytes)", "压缩炸弹：{0} 超过 {1} 的上限（{2} 字节）"), ("corrupt {}: {}", "{0} 数据已损坏：{1}"), ("truncated {}: {}", "{0} 数据不完整：{1}"),
    // Walls.
    ("{} ({}), sure to {} %, by {}", "{0}（{1}），把握 {2} %，依据 {3}"), ("{} ({}), sure to {} %", "{0}（{1}），把握 {2} %"),
    ("{}, sure to {} %, by {}", "{0}，把握 {1} %，依据 {2}"), ("{}, sure to {} %", "{0}，把握 {1} %"),
    ("say who you are ([agent] contact), raise [politeness] delay, or ask the site's owner to let the crawler in", "说明身份（[agent] contact）、加大 [politeness] delay，或请站点所有者放行"),
    ("raise [politeness] delay, or ask the site's owner to let the crawler in", "加大 [politeness] delay，或请站点所有者放行"),
    ("raise [politeness] delay and lower connections_per_host", "加大 [politeness] delay，减小 connections_per_host"),
    ("ask the site's owner for access without the consent page, or leave the host out", "请站点所有者提供无需同意页的访问方式，或不抓取该主机"),
    ("leave these pages out ([scope] exclude), or ask the site's owner for access", "不抓取这些页面（[scope] exclude），或请站点所有者开放访问"),
    ("take the host off the seeds: there is no site", "从种子中去掉该主机：那里没有站点"), ("come back when the site is there", "等站点上线后再来"),
    ("{} of {} answers of its host were walls", "所在主机的 {1} 次应答中有 {0} 次是拦截页"),
    ("{}: {} of {} since the first, {} ({}); left to rest {}; then asked no more ({}: {}). What helps: {}", "{0}：自第一次起 {2}中有 {1}，{3}（{4}）；停歇 {5}；此后不再访问（{6}：{7}）。可以这样做：{8}"),
    ("{}: {} of {} since the first, {} ({}); then asked no more ({}: {}). What helps: {}", "{0}：自第一次起 {2}中有 {1}，{3}（{4}）；此后不再访问（{5}：{6}）。可以这样做：{7}"),
    ("{}: {} of {} since the first, {}; left to rest {}; then asked no more ({}: {}). What helps: {}", "{0}：自第一次起 {2}中有 {1}，{3}；停歇 {4}；此后不再访问（{5}：{6}）。可以这样做：{7}"),
    ("{}: {} of {} since the first, {}; then asked no more ({}: {}). What helps: {}", "{0}：自第一次起 {2}中有 {1}，{3}；此后不再访问（{4}：{5}）。可以这样做：{6}"),
    ("{}: {} of {} since the first, {} ({}); left to rest {}. What helps: {}", "{0}：自第一次起 {2}中有 {1}，{3}（{4}）；停歇 {5}。可以这样做：{6}"),
    ("{}: {} of {} since the first, {}; left to rest {}. What helps: {}", "{0}：自第一次起 {2}中有 {1}，{3}；停歇 {4}。可以这样做：{5}"),
    ("{}: {} of {} since the first, {} ({}). What helps: {}", "{0}：自第一次起 {2}中有 {1}，{3}（{4}）。可以这样做：{5}"),
    ("{}: {} of {} since the first, {}. What helps: {}", "{0}：自第一次起 {2}中有 {1}，{3}。可以这样做：{4}"),
    // Refusals.
    ("{} (robots.txt line {})", "{0}（robots.txt 第 {1} 行）"), ("robots.txt could not be had: {}", "取不到 robots.txt：{0}"),
    ("{}, read with parameters that change nothing", "已读过的 {0}，只差无关紧要的参数"), ("parameters that change nothing", "无关紧要的参数"),
    ("{}, since {} (sure to {} %)", "{0}，因为{1}（把握 {2} %）"),
    ("{} mirrors {}", "{0} 是 {1} 的镜像"), ("{} is the same as {} on {}", "{2} 上 {0} 与 {1} 相同"),
    ("{} names {} without {} as canonical", "{0} 指去掉 {2} 的 {1} 为规范网址"), ("{} names {} as canonical", "{0} 指 {1} 为规范网址"),
    ("{} gives as much, since {}", "与 {0} 一样没有收获，因为{1}"), ("{} leads nowhere new", "{0} 不通向任何新内容"),
    ("{} changes nothing on {}", "{1} 上参数 {0} 无关紧要"),
    ("{}: harvest over the last {} pages is {} %, under {} %", "{0}：最近 {1} 个页面的收获率为 {2} %，低于 {3} %"),
    ("loopback", "环回地址"), ("private", "私有地址"), ("link-local", "链路本地地址"), ("this network", "本网络"), ("carrier-grade NAT", "运营商级 NAT"),
    ("protocol assignments", "协议保留地址"), ("documentation", "文档示例地址"), ("6to4 relay", "6to4 中继"), ("benchmarking", "基准测试地址"),
    ("multicast", "多播地址"), ("broadcast", "广播地址"), ("reserved", "保留地址"),
    ("unspecified", "未指定地址"), ("IPv4-compatible", "IPv4 兼容地址"), ("local NAT64", "本地 NAT64"), ("unique local", "唯一本地地址"), ("site-local", "站点本地地址"),
    ("{} (pages compared)", "{0}（页面比较过）"),
    ("{} yields next to nothing", "{0} 几乎没有收获"), ("nearly all URLs of its form were thin or duplicates", "这种形式的网址几乎都内容太少或重复"),
    ("the host did not answer {} times in a row, for {} s", "主机连续 {0} 次没有应答，历时 {1} 秒"),
    // The network.
    ("look up {}: {}", "解析 {0}：{1}"), ("connect: {}", "连接：{0}"), ("set up TLS: {}", "建立 TLS：{0}"),
    ("wait for connect: nothing within {} s", "等待连接：{0} 秒内没有应答"), ("wait for {}: nothing within {} s", "等待{0}：{1} 秒内没有应答"), ("first_byte", "首字节"), ("body", "正文"),
    ("read the answer: connection lost: {}", "读取应答：连接中断：{0}"), ("read the answer: {} over the limit of {}", "读取应答：{0} 超过上限 {1}"),
    ("read the answer: {}", "读取应答：{0}"), ("fetch this URL: {}", "抓取此网址：{0}"), ("use the proxy: {}", "使用代理：{0}"),
    ("no address", "没有地址"), ("no such host", "没有这个主机"), ("connection closed before message completed", "消息没有收完，连接就关闭了"),
    ("Connection refused (os error {})", "拒绝连接（系统错误 {0}）"), ("Connection reset by peer (os error {})", "连接被对方重置（系统错误 {0}）"),
    ("failed to lookup address information: {}", "查不到地址：{0}"), ("Name or service not known", "没有这个名字"), ("Temporary failure in name resolution", "暂时无法解析"),
    ("No route to host (os error {})", "没有到主机的路由（系统错误 {0}）"), ("Network is unreachable (os error {})", "网络不可达（系统错误 {0}）"),
    // Kinds of failure.
    ("dns", "域名无法解析"), ("connect", "连不上"), ("tls", "TLS"), ("reset", "连接中断"), ("too large", "太大"), ("protocol", "协议错误"), ("proxy", "代理"),
    ("truncated", "不完整"), ("encoding", "编码有误"), ("unreadable", "无法读取"), ("bad redirect", "重定向有误"), ("redirect loop", "循环重定向"),
    ("too many redirects", "重定向太多"), ("http {}", "HTTP {0}"),
    ("duplicate foreseen", "预计重复"), ("barren", "收获太少"), ("not included", "不在 include 中"), ("userinfo", "带有用户名"), ("url length", "网址太长"), ("wall", "拦截页"), ("duplicate", "重复"),
    // Why a page is thought to be the source of its text.
    ("named as canonical by {}", "被 {0}指为规范网址"), ("named as the source by {}", "被 {0}指为来源"), ("another page", "另一个页面"),
    ("published first, {}", "发布最早，{0}"), ("the only one with a date, {}", "只有它有日期，{0}"), ("linked from {} pages", "有 {0} 个页面链接到它"),
    ("its host copies no other page", "所在主机没有重复其他页面"), ("its host has the fewest copies, {}", "所在主机的副本最少，{0} 个"), ("seen first", "最先见到"),
    ("the crawl has too many links for it", "链接太多"),
];

/// What stands in holes of the sentences; after those that it may be taken for.
#[rustfmt::skip]
pub(super) const PARTS: &[(&str, &str)] = &[
    ("{} ({} to {})", "{0}（{1} 至 {2}）"),
    ("{} walls", "{0} 个拦截页"),
    ("{} wall", "{0} 个拦截页"),
    ("{} bot", "防火墙 {0}"),
    ("{} human", "人机验证 {0}"),
    ("{} rate limit", "频率限制 {0}"),
    ("{} consent", "Cookie 同意页 {0}"),
    ("{} login", "登录页 {0}"),
    ("{} parked", "停放域名 {0}"),
    ("{} coming soon", "占位页 {0}"),
    ("it is {}", "是{0}"),
    ("attempt {}", "第 {0} 次"),
    ("{} in {} ms", "{0}，{1} 毫秒"),
    ("again at {}", "{0} 再试"),
    ("round {}", "第 {0} 轮"),
    ("{} % of the words as before", "与先前相同的词占 {0} %"),
    ("asked with validators", "带校验信息"),
    ("{} visits", "访问 {0} 次"),
    ("{} visit", "访问 {0} 次"),
    ("{} other pages", "另外 {0} 个页面"),
];
