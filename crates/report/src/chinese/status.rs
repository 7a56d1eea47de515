//! What `tamis status` says, English and Chinese. The crawl's own state, its hosts and what can be done.

/// Sentences, in the form of [`super::table::TABLE`], and after those.
#[rustfmt::skip]
pub(super) const STATUS: &[(&str, &str)] = &[
    // The first line.
    ("loading what is known of the crawl", "正在载入抓取的已有状态"),
    ("replaying the journal: {} of {} records", "正在重放日志：{1} 条记录中的 {0} 条"),
    ("{}: {}, {}/s, {} under way", "{0}：{1}，每秒 {2}，进行中 {3}"),
    ("running for {}", "已运行 {0}"), ("waiting for the next round, {} of work in the last one", "等待下一轮，上一轮工作 {0}"),
    ("stopped, {} of work", "已停止，工作 {0}"), ("paused, {} of work", "已暂停，工作 {0}"), ("stopping, {} of work", "正在停止，工作 {0}"),
    ("starting, {} of work", "正在启动，工作 {0}"), ("copied, {} of work", "副本，工作 {0}"), ("in_use, {} of work", "目录使用中，工作 {0}"),
    ("stopped", "已停止"), ("paused", "已暂停"), ("stopping", "正在停止"), ("starting", "正在启动"), ("running", "正在运行"),
    ("waiting", "等待"), ("copied", "副本"), ("in_use", "目录使用中"),
    // Counters.
    ("{} visited again", "再次访问 {0}"),
    ("{} kept, {} dropped ({})", "保留 {0}，丢弃 {1}（{2}）"), ("{} kept, {} dropped", "保留 {0}，丢弃 {1}"),
    ("{} in the queue, {} failed, {} refused, {} redirected", "队列 {0}，失败 {1}，未抓取 {2}，重定向 {3}"),
    ("budget left: {} of {}, {}", "剩余额度：{1}中的 {0}，时间 {2}"), ("budget left: {} of {}", "剩余额度：{1}中的 {0}"), ("budget left: {}", "剩余时间：{0}"),
    ("expected to be left, as last estimated: about {} relevant pages among {} URLs that waited, beside {} found, as the model judges all pages now; the next {} fetches would bring about {}",
     "最近一次估计的剩余量：等待的 {1} 个网址中约有 {0} 个相关页面，按模型现在的判断已找到 {2} 个；接下来 {3} 次抓取约能带来 {4} 个"),
    // Hosts, and why they wait.
    ("queued", "等待"), ("next", "下次"), ("now", "现在"), ("in {}", "{0} 后"),
    ("the pause between requests to one host", "同一主机两次请求的间隔"), ("it said that it is asked too often, so it is asked less often", "主机表示请求太频繁，已放慢"),
    ("its robots.txt asks for this pause", "robots.txt 要求的间隔"), ("its robots.txt cannot be had for now", "暂时取不到 robots.txt"),
    ("it asked us to come back later", "主机要求稍后再来"), ("left alone for a while after errors", "出错之后暂缓访问"),
    ("it answers slowly, so it is asked less often", "应答很慢，已放慢"), ("it answers with walls, so it is left alone for a while", "返回拦截页，暂缓访问"),
    ("a request is under way", "请求进行中"), ("its robots.txt is being asked for", "正在取 robots.txt"),
    ("what failed waits to be tried again", "失败的等待重试"), ("its turn comes next", "就要轮到"),
    // How it ended.
    ("{} in the queue, where none was when the crawl ended.", "{0}在队列中，抓取结束时队列是空的。"),
    ("{} URLs wait", "{0} 个网址"), ("{} URL waits", "{0} 个网址"),
    ("done, nothing is left in the queue.", "已完成，队列已空。"), ("done, the page budget is used up.", "已完成，页面数量的上限已到。"),
    ("done, the time budget is used up.", "已完成，时间已用完。"), ("interrupted.", "收到停止的指令而停止。"),
    ("stopped for a moment, to go on with other settings.", "暂停片刻，随后按新设置继续。"), ("done, little more was to be found.", "已完成，已没有多少值得再找的。"),
    ("stopped, the hosts that are left give no answer, no page, or no robots.txt; start it again later.", "已停止，剩下的主机没有应答、不给页面，或取不到 robots.txt，可以以后再启动。"),
    ("stopped, none of the topic's example pages could be read.", "已停止，主题的示例网页一个也没能读到。"),
    ("handed over, other nodes go on with its hosts.", "已交接，由其他节点继续抓取它的主机。"), ("stopped, the disk is about to be full.", "已停止，磁盘快满了。"),
    ("ended by an error.", "因错误而结束。"),
    ("It was ended from outside (killed, the power failed, or the disk was full): every page recorded is safe.", "它被外力终止（被强行结束、断电或磁盘已满）：已记录的页面都是安全的。"),
    ("Another tamis command works on this directory; these are the figures recorded so far.", "另一个 tamis 命令正在使用这个目录；这是到目前为止记录下来的数字。"),
    ("These are the figures as far as it is copied: whether it goes on is known where it runs.", "这是已复制部分的数字；是否还在抓取，要看它运行的地方。"),
    // Copies of its archive.
    ("{} copied to {}, {} waiting; nothing is lost with this machine up to {}; it fails, tries in vain {}: {}.", "{0}已复制到 {1}，等待 {2}；{3} 及以前的内容不会随这台机器丢失；复制失败，已重试 {4} 次：{5}。"),
    ("{} copied to {}, {} waiting; it fails, tries in vain {}: {}.", "{0}已复制到 {1}，等待 {2}；复制失败，已重试 {3} 次：{4}。"),
    ("{} copied to {}; nothing is lost with this machine up to {}; it fails, tries in vain {}: {}.", "{0}已复制到 {1}；{2} 及以前的内容不会随这台机器丢失；复制失败，已重试 {3} 次：{4}。"),
    ("{} copied to {}; it fails, tries in vain {}: {}.", "{0}已复制到 {1}；复制失败，已重试 {2} 次：{3}。"),
    ("{} copied to {}, {} waiting; nothing is lost with this machine up to {}.", "{0}已复制到 {1}，等待 {2}；{3} 及以前的内容不会随这台机器丢失。"),
    ("{} copied to {}, {} waiting.", "{0}已复制到 {1}，等待 {2}。"),
    ("{} copied to {}; nothing is lost with this machine up to {}.", "{0}已复制到 {1}；{2} 及以前的内容不会随这台机器丢失。"),
    ("{} copied to {}.", "{0}已复制到 {1}。"), ("{} archive files are", "{0} 个归档文件"), ("{} archive file is", "{0} 个归档文件"),
    // What can be done.
    ("Go on with: {}", "继续：{0}"),
    ("After {}, about {} of {} are believed to have changed since they were read last; come back with: {}", "{0}之后，估计 {2}中约有 {1} 个自上次读取以来有变化；再次访问：{3}"),
    ("{} rounds", "{0} 轮"), ("{} round", "{0} 轮"),
    ("No page was read so far; the reasons and what to do: {}", "还没有读到页面；原因和办法：{0}"),
    ("Carry on with a larger budget: {}", "加大上限继续：{0}"),
    ("To go on all the same, set stop_harvest = 0 under [topic] in {}, then: {}", "仍要继续时，在 {0} 的 [topic] 下设 stop_harvest = 0，然后：{1}"),
    ("Carry on with: {}", "继续：{0}"), ("Give what failed another chance with: {}", "重试失败的网址：{0}"),
];
