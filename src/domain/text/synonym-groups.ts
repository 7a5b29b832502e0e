// Everyday words, in English and Chinese, that people use for one another when they ask again: a question for the
// price should find the cost. Each line is a group; a word may belong to several.
export const GROUPS = `
price cost fee charge expense spend spent pay paid budget money amount
rent lease rental
salary wage pay income compensation
cheap inexpensive affordable
deadline due date cutoff
begin start launch kickoff open
finish end complete done close
release ship deploy deployment rollout publish launch
schedule plan timetable calendar
meeting appointment call sync session
name called named title
person people who someone member guest attendee
owner responsible maintainer lead charge
boss manager supervisor lead
child kid kids children son daughter
wife husband spouse partner
doctor physician dentist clinic
live lives residence home address located location place where
city town place
company employer firm organisation organization
phone telephone mobile number
email mail address
directory folder path dir location
file document path
repository repo
database db store storage postgres mysql sqlite
configuration config setting settings option parameter configured
delete remove drop
create make add new
change modify edit alter update
choose chose chosen pick picked select selected decide decided decision adopt settle
prefer preference favourite favorite like
avoid never not forbidden ban banned
limit maximum max cap ceiling most upper
minimum min least lower
number count many quantity amount total
size big large
port listen listens bind
timeout wait expire expiry ttl
retry retries attempt attempts
interval period frequency often every
error bug issue problem failure fault exception
cause reason why because culprit root
fix fixed solve solved resolve resolved repair workaround
test tests testing spec
command run script execute
function method routine procedure
variable parameter field key
library package dependency module framework
branch
version release
server host machine node instance
user account customer client
login signin auth authentication authenticate
key token secret credential password
url link endpoint address
buy purchase order bought
car vehicle
flight fly plane airline
hotel stay accommodation lodging
food meal dish eat dinner lunch restaurant
allergic allergy allergies
colour color
weight weigh weighs heavy
height tall high
long length duration
speed fast quick latency
image picture photo
step stage phase
model
rule requirement constraint policy
hard hardest difficult tough struggle trouble weak weakest challenge
easy simple easiest straightforward
sponsor fund donate donor
supervise supervisor advisor adviser tutor mentor
receive subscriber subscribe recipient reader
teach teacher instructor class course lesson
leak grow growth grows memory
crash killed die dies down outage incident
expired expire certificate renew renewal
allow allowed permit permitted permission
reject refuse refused rejected deny denied
raise raised increase increased higher up
lower reduce reduced decrease decreased down
install installed setup installation
track record monitor watch
host hosts hosting venue
travel trip journey vacation holiday
train railway rail
cook cooking bake recipe dish
buy price cost
wear size
sign signed signature signs
agree agreed agreement contract
contract lease agreement
landlord landlady owner
repair fix mend maintenance
wide width broad
deep depth
thick thickness
old age aged
save saved store stored keep kept
supplier vendor shop store seller
customer client buyer
result outcome score
exam test
sleep nap bed bedtime
sick ill illness disease symptom
medicine drug pill medication dose dosage
pet dog cat animal
office workplace desk
pass password passphrase
screen display monitor
letter mail note
goal aim objective target purpose
idea plan proposal suggestion
check verify validate confirm
show display shows
send sent deliver delivery ship
parcel package delivery shipment
member membership
title headline subject heading
chapter section page
encoding charset encoded
separator delimiter
algorithm method technique
trigger cause triggered
backup snapshot copy
log logs logging
memory ram
language
team group
软件 软体
网络 网路
鼠标 滑鼠
程序 程式
视频 视讯 影片
出租车 计程车 的士
打印机 印表机
硬盘 硬碟
屏幕 萤幕
服务器 伺服器
数据 资料
默认 预设
公交车 公车 巴士
地铁 捷运
外卖 外送
自行车 脚踏车 单车
price 价格 费用 花费 多少钱 预算 成本 开销
预算 费用 价格 花费 成本 开销 经费 花了 多少钱
租金 房租 月租
工资 薪水 薪资 收入
截止 期限 最晚 到期 日期 交付 之前
开始 启动 开工 起
结束 完成 收尾
上线 发布 部署 发版 投产
会议 开会 例会 评审
名字 名称 叫做 姓名 命名
负责 负责人 主管 牵头 对接
老板 经理 领导 上司
孩子 女儿 儿子 小孩
医生 大夫 医院 诊所
住在 地址 位置 地点 住址 在哪
公司 单位 企业
电话 手机 号码
邮箱 邮件
目录 文件夹 路径 位置
文件 路径 脚本
仓库 代码库
数据库 数据 存储
配置 设置 参数 选项 设为
删除 移除 去掉
新增 添加 增加 新建
修改 更改 调整 变更 改成 改为
选择 选了 选用 选定 决定 采用 敲定 确定 用了
喜欢 偏好 最爱 爱吃
上限 最大 最多 最高 不超过
下限 最小 最少 最低 至少
数量 多少 几个 总数 总共 一共
端口 监听
超时 等待 过期 有效期
重试 次数 尝试
间隔 频率 每隔 周期
错误 报错 异常 故障 问题 失败
原因 为什么 因为 导致 根因 引起 由于
修复 解决 修好 处理 搞定
测试 用例
命令 执行 运行 指令
函数 方法 接口
变量 字段 参数
依赖 框架 类库 组件
分支
版本 版本号
服务器 主机 机器 节点 实例
账号 用户 账户
密钥 令牌 密码 口令
网址 链接 地址 域名
购买 下单 买了
航班 飞机 机票
酒店 住宿 宾馆
吃饭 餐厅 饭店 菜
过敏 忌口
颜色 配色
时长 多久 多长
图片 照片
阶段 步骤 里程碑
规则 要求 约束 限制 规定
备份 快照
日志
内存
团队 小组
阈值 门槛 临界 threshold
队列 queue
死信 dead letter dlq
可见性 visibility visible
超时 timeout
并发 concurrency concurrent parallel workers
端口 port
重试 retry retries
主机 host hostname
用户名 username user login
密码 password passwd
数据库 database db
表名 table
缓存 cache cached
日志 log logs logging
级别 level
版本 version
分支 branch
配置 config settings
路径 path
目录 directory dir folder
文件 file filename
名称 name title
大小 size
上限 limit max maximum
下限 min minimum
间隔 interval every period
线程 thread threads
进程 process pid
内存 memory mem ram
磁盘 disk
分区 partition filesystem
根分区 root filesystem
可用 available avail free
剩余 remaining available avail free left
剩 available avail free left remaining
已用 used
百分之 percent
请求 request requests
响应 response
状态 status state
错误 error err
报错 error exception
失败 failed fail failure
警告 warning warn
地址 address addr url
域名 domain host
证书 cert certificate
密钥 key secret
令牌 token
环境 env environment
生产 production prod
线上 production prod live
预发 staging
测试 test tests
开发 dev development
部署 deploy deployment
发布 release publish
构建 build
依赖 dependency dependencies
仓库 repo repository
提交 commit
合并 merge
容器 container
镜像 image
集群 cluster
节点 node
区域 region zone
副本 replicas replica
批次 batch
默认 default
温度 temperature
学习率 learning_rate lr
训练 train training epoch epochs
模型 model
字段 field column
索引 index
时区 timezone
语言 language lang locale
邮箱 email mail
电话 phone tel
金额 amount total
价格 price cost
数量 count quantity
订单 order orders
账户 account
延迟 latency delay lag
吞吐 throughput
限流 throttle rate limit
权限 permission permissions
角色 role
接口 api endpoint
参数 param args argument
返回 return returns
变量 variable var
常量 constant const
函数 function
主题 topic
消费者 consumer worker
生产者 producer
轮询 poll polling
调度 schedule cron
备份 backup
快照 snapshot
迁移 migration migrate
未执行 pending
待执行 pending
未完成 pending open
重启 restart restarts
退出码 exit code
堆 heap
耗时 duration elapsed took
开始 start started
结束 end ended
总数 total count
平均 average mean avg
中位 median p50
困难 最难 薄弱 最弱 吃力 难点
赞助 资助 捐赠 出资
导师 教授 指导
订阅 收到 读者 收件
泄漏 上涨 增长 没释放
过期 失效 到期 续期
允许 许可 批准 可以
拒绝 不接受 驳回
提高 上调 涨到 增加 调高
降低 下调 减少 减到
记录 跟踪 追踪 监控 盯着
旅行 出行 行程 旅游 度假
火车 高铁 动车
做饭 烹饪 烤 炖
签名 署名 落款
合同 协议 约定 租约
房东 业主
维修 修理 报修 修好
宽度 多宽 宽
厚度 多厚 厚
重量 多重 体重
身高 多高 高度
年龄 多大 岁数
考试 测验 考
睡觉 上床 入睡 就寝
药 剂量 服用 吃药
宠物 猫 狗
目标 目的 指标
计划 方案 安排
检查 验证 核对 确认
发送 寄出 送达 快递
标题 题目 主题
章节 页 章
编码 字符集
分隔符 分隔
会计 做账 财务 记账
收费 每小时 价格 报价
姓什么 先生 女士 师傅 教授
哪个城市 在哪
账期 付款 结款
`;
